/** What the recreation of containers counts. @see spec/daemon.md 7 */
import { Counter, type Registry } from 'prom-client';

export interface RecreateMetrics {
  stopped(result: 'success' | 'error'): void;
}

export function createRecreateMetrics(registry: Registry): RecreateMetrics {
  const stops = new Counter({
    name: 'kruise_daemon_container_recreations_total',
    help: 'Containers stopped for ContainerRecreateRequests.',
    labelNames: ['result'],
    registers: [registry],
  });
  return { stopped: (result) => stops.inc({ result }) };
}
