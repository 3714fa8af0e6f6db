/** What the daemon counts beside its controllers: queues, runtimes, work that goes on. @see spec/daemon.md 7 */
import type { UnfinishedWork } from '@kruise/kube';
import { Gauge, type Registry } from 'prom-client';
import type { CriRuntime } from '../runtime/runtimes.ts';

/** @param queues by name, asked whenever metrics are collected */
export function createUnfinishedWorkMetrics(registry: Registry, queues: ReadonlyMap<string, { unfinishedWork(): UnfinishedWork }>): void {
  const define = (name: string, help: string, valueOf: (work: UnfinishedWork) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['name'],
      registers: [registry],
      collect() {
        for (const [queue, held] of queues) this.set({ name: queue }, valueOf(held.unfinishedWork()));
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

/** @returns to be told of the runtimes after each look */
export function createRuntimeMetrics(registry: Registry): (runtimes: readonly CriRuntime[]) => void {
  const gauge = new Gauge({
    name: 'kruise_daemon_runtime_info',
    help: 'The container runtimes in use; the value is always 1.',
    labelNames: ['name', 'version', 'socket'],
    registers: [registry],
  });
  return (runtimes) => {
    gauge.reset();
    for (const { name, version, socket } of runtimes) gauge.set({ name, version, socket }, 1);
  };
}
