/** `workqueue_*`, under the names that dashboards of OpenKruise query. @see spec/manager.md 3.1, spec/daemon.md 7 */
import type { QueueMetrics, UnfinishedWork } from '@kruise/kube';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Powers of ten from 10 ns to 1000 s, as in client-go's queues. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

/** The labels that contain the name of the queue. A manager's queues have the name of their controller in both. */
export type QueueLabel = 'name' | 'controller';
const onlyName: readonly QueueLabel[] = ['name'];

const labelsOf = (labelNames: readonly QueueLabel[], queue: string): Partial<Record<QueueLabel, string>> =>
  Object.fromEntries(labelNames.map((label) => [label, queue]));

/** Creates the metrics once. The returned function binds the queue of one controller to them. */
export function createQueueMetrics(registry: Registry, labelNames: readonly QueueLabel[] = onlyName): (queue: string) => QueueMetrics {
  const registers = [registry];
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys that wait.', labelNames, registers });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys added.', labelNames, registers });
  const retries = new Counter({ name: 'workqueue_retries_total', help: 'Keys put off.', labelNames, registers });
  const waited = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a key waited.',
    labelNames,
    buckets: queueBuckets,
    registers,
  });
  const worked = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long a key was worked on.',
    labelNames,
    buckets: queueBuckets,
    registers,
  });
  return (queue) => {
    const labels = labelsOf(labelNames, queue);
    return {
      depth: (keys) => depth.set(labels, keys),
      added: () => adds.inc(labels),
      retried: () => retries.inc(labels),
      queueSeconds: (seconds) => waited.observe(labels, seconds),
      workSeconds: (seconds) => worked.observe(labels, seconds),
    };
  };
}

/**
 * Creates the metrics of unfinished work.
 *
 * @param queues by name, read whenever metrics are collected; a removed queue is no longer shown
 */
export function createUnfinishedWorkMetrics(
  registry: Registry,
  queues: ReadonlyMap<string, { unfinishedWork(): UnfinishedWork }>,
  labelNames: readonly QueueLabel[] = onlyName,
): void {
  const define = (name: string, help: string, valueOf: (work: UnfinishedWork) => number): void => {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const [queue, held] of queues) this.set(labelsOf(labelNames, queue), valueOf(held.unfinishedWork()));
      },
    });
  };
  define(
    'workqueue_unfinished_work_seconds',
    'How long the keys that are worked on have taken so far, together.',
    ({ totalSeconds }) => totalSeconds,
  );
  define(
    'workqueue_longest_running_processor_seconds',
    'How long the oldest of them has taken so far.',
    ({ longestSeconds }) => longestSeconds,
  );
}
