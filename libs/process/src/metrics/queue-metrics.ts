/** `workqueue_*`, under the names that dashboards of the original query. @see spec/manager.md 3.1, spec/daemon.md 7 */
import type { QueueMetrics } from '@kruise/kube';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Powers of ten from 10 ns to 1000 s, as client-go's queues have them. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];

/** Makes the metrics once; the function returned binds the queue of one controller to them. */
export function createQueueMetrics(registry: Registry): (name: string) => QueueMetrics {
  const registers = [registry];
  const labelNames = ['name'] as const;
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
  return (name) => ({
    depth: (keys) => depth.set({ name }, keys),
    added: () => adds.inc({ name }),
    retried: () => retries.inc({ name }),
    queueSeconds: (seconds) => waited.observe({ name }, seconds),
    workSeconds: (seconds) => worked.observe({ name }, seconds),
  });
}
