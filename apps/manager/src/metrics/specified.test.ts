/** Every metric of the manager, with its type, labels and buckets. @see spec/manager.md 3.1 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createUnfinishedWorkMetrics } from '@kruise/process';
import { parseMetrics, type MetricFamily } from '@kruise/testing';
import { Registry } from 'prom-client';
import type { ProtectionRecord } from '../process/protection-log.ts';
import { createControllerMetrics, queueLabels } from './controller-metrics.ts';
import { createMissedPodsCounter } from './missed-pods-metrics.ts';
import { createProcessMetrics } from './process-metrics.ts';
import { createProtectionRecorder } from './protection-metrics.ts';
import { specifiedMetrics, unspecifiedIn } from './specified.testing.ts';
import { createSpreadCounter } from './spread-metrics.ts';
import { createWebhookMetrics } from './webhook-metrics.ts';

const specified = specifiedMetrics();

function observeController(registry: Registry): void {
  const { controller, queue } = createControllerMetrics(registry)('cloneset-controller');
  controller.reconciled('success', 0.1);
  controller.activeWorkers(1);
  controller.maxConcurrent(3);
  queue.depth(1);
  queue.added();
  queue.retried();
  queue.queueSeconds(0.1);
  queue.workSeconds(0.1);
  const held = { unfinishedWork: () => ({ totalSeconds: 1, longestSeconds: 1 }) };
  createUnfinishedWorkMetrics(registry, new Map([['cloneset-controller', held]]), queueLabels);
}

function observeProcess(registry: Registry): void {
  const metrics = createProcessMetrics(registry, 'kruise-manager');
  metrics.slowPath();
  metrics.requested({ code: 200, host: '127.0.0.1:6443', method: 'GET', durationMs: 1 });
}

function observeRefusals(registry: Registry): void {
  const record = createProtectionRecorder(registry, { record: () => undefined });
  const refused: ProtectionRecord = { Event: 'DeletionProtection', Kind: 'CloneSet', Namespace: 'shop', Name: 'web', UserAgent: 'user' };
  for (const Kind of ['CloneSet', 'Namespace', 'CustomResourceDefinition']) record({ ...refused, Kind });
  record({ ...refused, Event: 'PodUnavailableBudget' });
}

function observeAdmission(registry: Registry): void {
  const metrics = createWebhookMetrics(registry);
  metrics.expect(['/mutate-pod']);
  metrics.started('/mutate-pod');
  metrics.finished('/mutate-pod', 200, 0.1);
  createSpreadCounter(registry);
  createMissedPodsCounter(registry);
}

describe('the metrics of the manager', () => {
  let text: string;
  let exposed: ReadonlyMap<string, MetricFamily>;

  beforeAll(async () => {
    const registry = new Registry();
    for (const observe of [observeController, observeProcess, observeRefusals, observeAdmission]) observe(registry);
    text = await registry.metrics();
    exposed = new Map(parseMetrics(text).families.map((family) => [family.name, family]));
  });

  it.each(specified)('$name is a $type with the labels $labels', (family) => {
    expect(exposed.get(family.name)).toEqual(family);
  });

  it('are those of the table and no others', () => {
    expect(unspecifiedIn(text)).toEqual([]);
    expect(exposed.size).toBe(specified.length);
  });

  it('include the histograms that dashboards query, each with its buckets', () => {
    const histograms = specified.filter(({ type }) => type === 'histogram');
    expect(histograms.map(({ buckets }) => buckets.length)).toEqual([40, 11, 12, 12]);
  });
});

it('a metric with another label than the table has is unspecified', () => {
  const sample = (labels: string): string => `# TYPE workqueue_depth gauge\nworkqueue_depth{${labels}} 1\n`;
  expect(unspecifiedIn(sample('name="a",controller="a"'))).toEqual([]);
  expect(unspecifiedIn(sample('name="a",controller="a",priority="0"')).map(({ name }) => name)).toEqual(['workqueue_depth']);
});
