import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createRegistry, createUnfinishedWorkMetrics } from '@kruise/process';
import { createControllerMetrics, queueLabels } from '../../../apps/manager/src/metrics/controller-metrics.ts';
import { createMissedPodsCounter } from '../../../apps/manager/src/metrics/missed-pods-metrics.ts';
import { createProcessMetrics } from '../../../apps/manager/src/metrics/process-metrics.ts';
import { createProtectionRecorder } from '../../../apps/manager/src/metrics/protection-metrics.ts';
import { createWebhookMetrics } from '../../../apps/manager/src/metrics/webhook-metrics.ts';
import { alerts, dashboard, panels } from './monitoring.ts';

/** Every metric that a manager has, without what Prometheus adds to the names of histograms. */
function metricsOfManager(): ReadonlySet<string> {
  const registry = createRegistry();
  createControllerMetrics(registry);
  createUnfinishedWorkMetrics(registry, new Map(), queueLabels);
  createProcessMetrics(registry, 'kruise-manager');
  createMissedPodsCounter(registry);
  createProtectionRecorder(registry, { record: () => undefined });
  createWebhookMetrics(registry);
  return new Set(registry.getMetricsAsArray().map(({ name }) => name));
}

const functions = new Set(['absent', 'histogram_quantile', 'increase', 'max', 'rate', 'sum', 'by', 'le']);
const labels = new Set(['job', 'code', 'name', 'controller', 'webhook', 'reason', 'pod']);

const metricsIn = (expr: string): readonly string[] =>
  (
    expr
      .replaceAll(/"[^"]*"/g, '')
      .replaceAll(/\[\w+\]/g, '')
      .match(/[a-z_]\w*/g) ?? []
  )
    .filter((word) => !functions.has(word) && !labels.has(word))
    .map((word) => word.replace(/_bucket$/, ''));

describe('dashboard and alerts', () => {
  const known = metricsOfManager();
  const exprs = [...alerts.map(({ expr }) => expr), ...panels.flatMap(({ series }) => series.map(({ expr }) => expr))];

  it.each(exprs)('%s asks for metrics that there are, and for ours only', (expr) => {
    const asked = metricsIn(expr).filter((metric) => metric !== 'up');
    expect(asked.filter((metric) => !known.has(metric))).toEqual([]);
    const selectors = expr.match(/\{[^}]*\}/g) ?? [];
    expect(selectors.length).toBeGreaterThan(0);
    for (const selector of selectors) expect(selector).toContain('job=~".*kruise');
  });

  it('has brackets that match in every expression', () => {
    for (const expr of exprs)
      for (const [open, close] of ['()', '{}', '[]'].map((pair) => [...pair] as [string, string]))
        expect(expr.split(open)).toHaveLength(expr.split(close).length);
  });

  it('puts no panel over another', () => {
    const places = (dashboard() as { panels: { gridPos: { x: number; y: number } }[] }).panels.map(
      ({ gridPos }) => `${gridPos.x}/${gridPos.y}`,
    );
    expect(new Set(places).size).toBe(places.length);
  });
});

it('quotes log lines that the code writes, in alerts and on the page for operators', () => {
  const root = join(import.meta.dirname, '../../..');
  const page = readFileSync(join(root, 'docs/operations.md'), 'utf8');
  const quoted = [
    ...alerts.flatMap(({ description }) => [...description.matchAll(/line "([^"]+)"/g)]),
    ...page.matchAll(/lines? `([A-Z][^`]+)`/g),
  ].map(([, line = '']) => line);
  const code = globSync('{libs,apps}/*/src/**/*.ts', { cwd: root })
    .filter((file) => !/\.(?:test|testing)\.ts$/.test(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  expect(quoted.length).toBeGreaterThanOrEqual(4);
  expect(quoted.filter((line) => !code.includes(`'${line}'`))).toEqual([]);
});
