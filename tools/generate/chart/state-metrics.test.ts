import { describe, expect, it } from '@jest/globals';
import { resourceKinds } from '../../../apps/state-metrics/src/families/all-kinds.ts';
import { anObjectOf } from '../../../apps/state-metrics/src/families/objects.testing.ts';
import { customResourceState, stateMetricsRules } from './state-metrics.ts';

interface Metric {
  readonly name: string;
  readonly each: {
    readonly type: string;
    readonly gauge?: { readonly path: readonly string[]; readonly nilIsZero: boolean };
    readonly info?: { readonly labelsFromPath: Readonly<Record<string, readonly string[]>> };
    readonly stateSet?: { readonly path: readonly string[]; readonly list: readonly string[] };
  };
}
interface Configuration {
  readonly spec: {
    readonly resources: readonly {
      readonly groupVersionKind: { readonly kind: string };
      readonly metricNamePrefix: string;
      readonly metrics: readonly Metric[];
    }[];
  };
}

const at = (object: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name], object);

describe('the rights of the chart', () => {
  it('are to read the exported kinds of both groups, by name', () => {
    const rules = stateMetricsRules() as readonly {
      readonly apiGroups: readonly string[];
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
    }[];
    expect(rules.flatMap(({ apiGroups }) => apiGroups).toSorted()).toEqual(['apps.kruise.io', 'policy.kruise.io']);
    expect(rules.flatMap(({ resources }) => resources).toSorted()).toEqual(resourceKinds.map(({ resource }) => resource));
    for (const { verbs } of rules) expect(verbs).toEqual(['get', 'list', 'watch']);
  });
});

describe('the configuration for kube-state-metrics', () => {
  const { resources } = (customResourceState() as Configuration).spec;

  it('has every kind, with names that kruise-state-metrics has as well', () => {
    expect(resources.map(({ metricNamePrefix }) => metricNamePrefix)).toEqual(resourceKinds.map(({ label }) => `kruise_${label}`));
    const known = resourceKinds.flatMap(({ families }) => families.map(({ name }) => name));
    const named = resources.flatMap(({ metricNamePrefix, metrics }) => metrics.map(({ name }) => `${metricNamePrefix}_${name}`));
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(80);
  });

  it('names paths at which objects have a value', () => {
    for (const [index, { metrics }] of resources.entries()) {
      const object = anObjectOf[resourceKinds[index]!.resource];
      const paths = metrics.flatMap(({ each }) => [
        each.gauge?.path ?? each.stateSet?.path ?? [],
        ...Object.values(each.info?.labelsFromPath ?? {}),
      ]);
      expect(paths.filter((path) => at(object, path) === undefined)).toEqual([]);
    }
  });
});
