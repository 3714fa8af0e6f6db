import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createRegistry, createUnfinishedWorkMetrics } from '@kruise/process';
import { createContainerMetaMetrics } from '../../../apps/daemon/src/container-meta/metrics.ts';
import { createImageMetrics } from '../../../apps/daemon/src/images/metrics.ts';
import { createControllerMetrics, queueLabels } from '../../../apps/manager/src/metrics/controller-metrics.ts';
import { createMissedPodsCounter } from '../../../apps/manager/src/metrics/missed-pods-metrics.ts';
import { createProcessMetrics } from '../../../apps/manager/src/metrics/process-metrics.ts';
import { createProtectionRecorder } from '../../../apps/manager/src/metrics/protection-metrics.ts';
import { specifiedMetrics } from '../../../apps/manager/src/metrics/specified.testing.ts';
import { createWebhookMetrics } from '../../../apps/manager/src/metrics/webhook-metrics.ts';
import { resourceKinds } from '../../../apps/state-metrics/src/families/all-kinds.ts';
import { createTelemetry } from '../../../apps/state-metrics/src/process/telemetry.ts';
import { alerts, runbookPage } from './alerts.ts';
import { dashboards } from './generator.ts';
import { dashboardModel } from './grafana.ts';

const root = join(import.meta.dirname, '../../..');

/** Every metric of the programs, without what Prometheus adds to the names of histograms. */
function metricsOfPrograms(): ReadonlySet<string> {
  const [manager, daemon] = [createRegistry(), createRegistry()];
  createControllerMetrics(manager);
  createUnfinishedWorkMetrics(manager, new Map(), queueLabels);
  createProcessMetrics(manager, 'kruise-manager');
  createMissedPodsCounter(manager);
  createProtectionRecorder(manager, { record: () => undefined });
  createWebhookMetrics(manager);
  createImageMetrics(daemon, () => []);
  createContainerMetaMetrics(daemon);
  const own = [manager, daemon, createTelemetry().registry].flatMap((registry) => registry.getMetricsAsArray().map(({ name }) => name));
  const ofObjects = resourceKinds.flatMap(({ families }) => families.map(({ name }) => name));
  return new Set([...own, ...ofObjects]);
}

const known = metricsOfPrograms();

/** The selectors of an expression, with the names of their metrics. */
const selectorsIn = (expr: string): readonly { readonly metric: string; readonly matchers: string }[] =>
  [...expr.matchAll(/([a-z_:][a-z0-9_:]*)\{([^}]*)\}/g)].map(([, metric = '', matchers = '']) => ({ metric, matchers }));

/** Words that are followed by neither `(` nor a selector, and are no label, text or number: a metric without a selector. */
function bareWords(expr: string): readonly string[] {
  const rest = expr
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/[a-z_:][a-z0-9_:]*\{[^}]*\}/g, '')
    .replaceAll(/\b(?:by|on|without) \([^)]*\)/g, '')
    .replaceAll(/\[\w+\]/g, '');
  return (rest.match(/[a-z_]\w*(?!\s*\()\b/g) ?? []).filter((word) => !['or', 'unless', 'and'].includes(word));
}

const exprs = [
  ...alerts.map(({ expr }) => expr),
  ...dashboards.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))),
];

describe('an expression of an alert or a dashboard', () => {
  it.each(exprs)('%s selects metrics that there are, and of this project only', (expr) => {
    const selectors = selectorsIn(expr);
    expect(selectors.length).toBeGreaterThan(0);
    expect(bareWords(expr)).toEqual([]);
    // Metrics of containers come from the kubelets.
    const own = selectors.filter(({ metric }) => !metric.startsWith('container_'));
    const missing = own.filter(({ metric }) => metric !== 'up' && !known.has(metric.replace(/_bucket$/, '')) && !known.has(metric));
    expect(missing).toEqual([]);
    for (const { matchers } of own) expect(matchers).toContain('job=~".*kruise');
  });
});

describe('an expression about the manager', () => {
  const labelsOf = new Map(specifiedMetrics().map(({ name, labels }) => [name, labels]));
  /** Of targets and histograms. */
  const everywhere = ['job', 'instance', 'le'];
  const managers = exprs.filter((expr) =>
    selectorsIn(expr).every(({ metric }) => labelsOf.has(metric) || labelsOf.has(metric.replace(/_bucket$/, ''))),
  );

  it.each(managers)('%s uses labels that its metrics have', (expr) => {
    const metrics = selectorsIn(expr).map(({ metric, matchers }) => ({
      has: [...everywhere, ...(labelsOf.get(metric) ?? labelsOf.get(metric.replace(/_bucket$/, '')) ?? [])],
      matched: [...matchers.matchAll(/(\w+)[=!]/g)].map(([, label = '']) => label),
    }));
    expect(metrics.flatMap(({ has, matched }) => matched.filter((label) => !has.includes(label)))).toEqual([]);
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
    expect(grouped.filter((label) => !metrics.every(({ has }) => has.includes(label)))).toEqual([]);
  });

  it('is among those that dashboards and alerts have', () => {
    expect(managers.length).toBeGreaterThan(10);
  });
});

interface Model {
  readonly panels: readonly {
    readonly id: number;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

describe.each(dashboards)('the dashboard $title', (dashboard) => {
  const model = dashboardModel(dashboard, '') as Model;

  it('places no panel over another or beyond the 24 columns', () => {
    const cells = model.panels.flatMap(({ gridPos: { x, y, w } }) => Array.from({ length: w }, (_, at) => `${x + at}/${y}`));
    expect(new Set(cells).size).toBe(cells.length);
    expect(model.panels.filter(({ gridPos }) => gridPos.x + gridPos.w > 24)).toEqual([]);
    expect(new Set(model.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  it('declares every variable that its queries use, and uses every one that it declares', () => {
    const text = JSON.stringify(model);
    const used = new Set([...text.matchAll(/\$\{?([a-z]+)/g)].map(([, name = '']) => name));
    expect([...used].toSorted()).toEqual(model.templating.list.map(({ name }) => name).toSorted());
  });
});

describe('the runbook', () => {
  const page = readFileSync(join(root, runbookPage), 'utf8');

  it('has a section for each alert and no other', () => {
    const sections = [...page.matchAll(/^## (Kruise\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
  });

  it('says in each section what happens, what to check and how to end it', () => {
    const sections = page.split(/^## /m).slice(1);
    const parts = ['**Effect.**', '**Check.**', '**Fix.**'];
    expect(
      sections.filter((section) => !parts.every((part) => section.includes(part))).map((section) => section.split('\n', 1)[0]),
    ).toEqual([]);
  });
});

it('quotes log lines that the code writes, in alerts and on the pages for operators', () => {
  const pages = ['docs/operations.md', runbookPage].map((page) => readFileSync(join(root, page), 'utf8'));
  const quoted = [
    ...alerts.flatMap(({ description }) => [...description.matchAll(/line "([^"]+)"/g)]),
    ...pages.flatMap((page) => [...page.matchAll(/lines? `([A-Z][^`]+)`/g)]),
  ].map(([, line = '']) => line);
  const code = globSync('{libs,apps}/*/src/**/*.ts', { cwd: root })
    .filter((file) => !/\.(?:test|testing)\.ts$/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  expect(quoted.length).toBeGreaterThanOrEqual(4);
  expect(quoted.filter((line) => !code.includes(`'${line}'`))).toEqual([]);
});
