/**
 * `null` in place of every map of values. Helm then removes the map, also one with defaults. A map that a user fills, such as `nodeSelector`, counts as
 * empty. A map whose keys the chart reads, such as `manager.image`, is refused.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ensureBinaries, silent } from '@kruise/testing';
import { charts, readChart, type ValueSchema } from '../generate/reference/values-reference.ts';
import { changesBetween } from './rendered-changes.ts';
import { render, type Rendered, type Values } from './render.ts';
import { renderStateMetrics } from './render-state-metrics.ts';

/** Every template of a chart renders something. */
const everything: Values = {
  'tests.enabled': true,
  'crds.managed': false,
  'crds.migrateStorage.enabled': true,
  'networkPolicy.enabled': true,
  'manager.metrics.service.enabled': true,
  'daemon.windowsImage.repository': 'example/agent-win',
  'monitoring.serviceMonitor.enabled': true,
  'monitoring.podMonitor.enabled': true,
  'monitoring.prometheusRule.enabled': true,
  'monitoring.grafanaDashboards.enabled': true,
};
const renderers: Readonly<Record<(typeof charts)[number], (values: Values) => Promise<readonly Rendered[]>>> = {
  'charts/kruise': (values) =>
    render({ ...everything, ...values }, '1.34.0', ['admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy']),
  'charts/kruise-state-metrics': (values) => renderStateMetrics(values, ['monitoring.coreos.com/v1']),
};

interface MapOfValues {
  readonly path: string;
  /** Whether the schema lists its keys. */
  readonly isGroup: boolean;
  readonly isEmpty: boolean;
}

function mapsIn(value: unknown, schema: ValueSchema | undefined, path: readonly string[] = []): readonly MapOfValues[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const below = Object.entries(value).flatMap(([name, one]) => mapsIn(one, schema?.properties?.[name], [...path, name]));
  if (path.length === 0) return below;
  return [{ path: path.join('.'), isGroup: schema?.properties !== undefined, isEmpty: Object.keys(value).length === 0 }, ...below];
}

/** The paths of all values that are `null`. */
const nullsIn = (value: unknown, path = ''): readonly string[] => {
  if (value === null) return [path];
  return typeof value === 'object' ? Object.entries(value).flatMap(([name, one]) => nullsIn(one, `${path}/${name}`)) : [];
};

/** A line of the error about the schema, as Helm writes it since 3.18 and before. */
function refusal(path: string): RegExp {
  const names = path.split('.');
  const name = names.pop() ?? '';
  const [pointer, group] = [names.map((one) => `/${one}`).join(''), names.length === 0 ? '\\(root\\)' : names.join('\\.')];
  return new RegExp(`^- (at '${pointer}': missing property '${name}'|${group}: ${name} is required)$`, 'm');
}

beforeAll(() => ensureBinaries(['helm'], silent), 600_000);

describe.each(charts)('%s, with null in place of', (chart) => {
  const { schema, values } = readChart(chart);
  const maps = mapsIn(values, schema);
  const renderChart = renderers[chart];
  let byDefault: readonly Rendered[];
  beforeAll(async () => {
    byDefault = await renderChart({});
  });

  it.each(maps.filter(({ isGroup }) => isGroup))('$path, is refused with the name of the value', async ({ path }) => {
    await expect(renderChart({ [path]: null })).rejects.toThrow(refusal(path));
  });

  it.each(maps.filter(({ isGroup }) => !isGroup))('$path, renders what an empty map does', async ({ path, isEmpty }) => {
    const objects = await renderChart({ [path]: null });
    expect(objects.flatMap((object) => nullsIn(object, `${object.kind} ${object.metadata.name}`))).toEqual(
      byDefault.flatMap((object) => nullsIn(object, `${object.kind} ${object.metadata.name}`)),
    );
    expect(changesBetween(byDefault, objects).length > 0).toBe(!isEmpty);
  });
});
