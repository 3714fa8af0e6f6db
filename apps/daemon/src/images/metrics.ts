/** The metrics of the image puller. @see spec/daemon.md 7 */
import type { Milliseconds } from '@kruise/objects';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { WorkerState } from './plan-sync.ts';

export interface ImageMetrics {
  ended(result: 'success' | 'error', elapsed: Milliseconds): void;
  failedTry(): void;
  statusWritten(): void;
}

/** Creates the metrics. @param workers read whenever metrics are collected */
export function createImageMetrics(registry: Registry, workers: () => Iterable<Pick<WorkerState, 'status'>>): ImageMetrics {
  const registers = [registry];
  const pulls = new Counter({
    name: 'kruise_daemon_image_pulls_total',
    help: 'Image tasks that have ended.',
    labelNames: ['result'],
    registers,
  });
  const duration = new Histogram({
    name: 'kruise_daemon_image_pull_seconds',
    help: 'How long image tasks took from their start to their end, all tries together.',
    labelNames: ['result'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
    registers,
  });
  const tries = new Counter({
    name: 'kruise_daemon_image_failed_tries_total',
    help: 'Tries that failed and are followed by another.',
    registers,
  });
  const writes = new Counter({
    name: 'kruise_daemon_image_status_writes_total',
    help: 'Writes of the status of the NodeImage.',
    registers,
  });
  new Gauge({
    name: 'kruise_daemon_image_tasks',
    help: 'Image tasks under way.',
    labelNames: ['phase'],
    registers,
    collect() {
      const counts = { Waiting: 0, Pulling: 0 };
      for (const { status } of workers()) if (status.phase === 'Waiting' || status.phase === 'Pulling') counts[status.phase] += 1;
      for (const [phase, count] of Object.entries(counts)) this.set({ phase }, count);
    },
  });
  for (const result of ['success', 'error']) pulls.inc({ result }, 0);
  return {
    ended: (result, elapsed) => {
      pulls.inc({ result });
      duration.observe({ result }, elapsed / 1000);
    },
    failedTry: () => tries.inc(),
    statusWritten: () => writes.inc(),
  };
}
