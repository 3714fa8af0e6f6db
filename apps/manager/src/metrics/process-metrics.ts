/** What the process counts about itself beside controllers and webhooks. @see spec/manager.md 3.1 */
import type { RequestRecord } from '@kruise/kube';
import { createRequestMetrics } from '@kruise/process';
import { Counter, Gauge, type Registry } from 'prom-client';

export interface ProcessMetrics {
  leading(isLeader: boolean): void;
  /** A renewal of the lease did not go the quick way. */
  slowPath(): void;
  requested(record: RequestRecord): void;
  certificateRead(failed: boolean): void;
}

/** @param leaseName label of `leader_election_master_status` */
export function createProcessMetrics(registry: Registry, leaseName: string): ProcessMetrics {
  const registers = [registry];
  const leader = new Gauge({ name: 'kruise_manager_is_leader', help: '1 on the replica that runs the controllers, else 0.', registers });
  const status = new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this replica holds the lease, else 0.',
    labelNames: ['name'],
    registers,
  });
  const slow = new Counter({
    name: 'leader_election_slowpath_total',
    help: 'Renewals of the lease that needed a read first.',
    labelNames: ['name'],
    registers,
  });
  const reads = new Counter({ name: 'certwatcher_read_certificate_total', help: 'Certificate reads.', registers });
  const readErrors = new Counter({ name: 'certwatcher_read_certificate_errors_total', help: 'Certificate reads that failed.', registers });
  const leading = (isLeader: boolean): void => {
    leader.set(isLeader ? 1 : 0);
    status.set({ name: leaseName }, isLeader ? 1 : 0);
  };
  leading(false);
  return {
    leading,
    slowPath: () => slow.inc({ name: leaseName }),
    requested: createRequestMetrics(registry),
    certificateRead(failed) {
      reads.inc();
      if (failed) readErrors.inc();
    },
  };
}
