/** `controller_runtime_*` and `workqueue_*`, under the names that dashboards of the original query. @see spec/manager.md 3.1 */
import type { ControllerMetrics, QueueMetrics } from '@kruise/kube';
import { createHeldBackCounter, createQueueMetrics } from '@kruise/process';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5,
  5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
/** Dashboards request either. */
export const queueLabels = ['name', 'controller'] as const;
const results = ['success', 'error', 'requeue', 'requeue_after'] as const;

export interface RunnerMetrics {
  readonly controller: ControllerMetrics;
  readonly queue: QueueMetrics;
}

/** The metrics of all controllers, each with the label `controller`. */
function createFamilies(registry: Registry) {
  const common = { labelNames: ['controller'] as const, registers: [registry] };
  return {
    total: new Counter({
      ...common,
      name: 'controller_runtime_reconcile_total',
      help: 'Reconciles per controller and result.',
      labelNames: ['controller', 'result'],
    }),
    errors: new Counter({ ...common, name: 'controller_runtime_reconcile_errors_total', help: 'Reconciles that failed.' }),
    terminal: new Counter({
      ...common,
      name: 'controller_runtime_terminal_reconcile_errors_total',
      help: 'Reconciles that failed and wait for a change.',
    }),
    panics: new Counter({
      ...common,
      name: 'controller_runtime_reconcile_panics_total',
      help: 'Reconciles that met a defect of the program.',
    }),
    time: new Histogram({
      ...common,
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of a reconcile.',
      buckets: reconcileBuckets,
    }),
    concurrent: new Gauge({
      ...common,
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Reconciles that may run at a time.',
    }),
    active: new Gauge({ ...common, name: 'controller_runtime_active_workers', help: 'Reconciles that run now.' }),
  };
}

/** Makes the metrics once; the function returned binds one controller to them, all its counters at 0. */
export function createControllerMetrics(registry: Registry): (controller: string) => RunnerMetrics {
  const { total, errors, terminal, panics, time, concurrent, active } = createFamilies(registry);
  const heldBack = createHeldBackCounter(registry);
  const queue = createQueueMetrics(registry, queueLabels);
  return (controller) => {
    for (const result of results) total.inc({ controller, result }, 0);
    for (const counter of [errors, terminal, panics]) counter.inc({ controller }, 0);
    return {
      queue: queue(controller),
      controller: {
        reconciled(result, seconds) {
          total.inc({ controller, result });
          if (result === 'error') errors.inc({ controller });
          time.observe({ controller }, seconds);
        },
        gaveUp: () => terminal.inc({ controller }),
        panicked: () => panics.inc({ controller }),
        heldBack: heldBack(controller),
        activeWorkers: (count) => active.set({ controller }, count),
        maxConcurrent: (count) => concurrent.set({ controller }, count),
      },
    };
  };
}
