/** The metrics of the container meta controllers. @see spec/daemon.md 7 */
import { Counter, type Registry } from 'prom-client';

export interface ContainerMetaMetrics {
  reported(): void;
  environmentUnread(): void;
  restarted(result: 'success' | 'error'): void;
}

export function createContainerMetaMetrics(registry: Registry): ContainerMetaMetrics {
  const registers = [registry];
  const reports = new Counter({ name: 'kruise_daemon_container_meta_reports_total', help: 'Container meta written to Pods.', registers });
  const unread = new Counter({
    name: 'kruise_daemon_container_env_failures_total',
    help: 'Container environments that could not be read.',
    registers,
  });
  const restarts = new Counter({
    name: 'kruise_daemon_container_restarts_total',
    help: 'Containers stopped because their environment changed.',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['success', 'error']) restarts.inc({ result }, 0);
  return { reported: () => reports.inc(), environmentUnread: () => unread.inc(), restarted: (result) => restarts.inc({ result }) };
}
