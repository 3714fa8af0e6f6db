/** What deletion protection and budgets refused. @see spec/manager.md 3.1, 3.4 */
import { Counter, type Registry } from 'prom-client';
import type { ProtectionLog, ProtectionRecord } from '../process/protection-log.ts';

/** Counts a denial under the metric of its kind and puts it into the protection log. */
export function createProtectionRecorder(registry: Registry, log: ProtectionLog): (record: ProtectionRecord) => void {
  const registers = [registry];
  const plain = ['name', 'username'] as const;
  const counters = {
    Namespace: new Counter({
      name: 'namespace_deletion_protection',
      help: 'Refused deletions of Namespaces.',
      labelNames: plain,
      registers,
    }),
    CustomResourceDefinition: new Counter({
      name: 'crd_deletion_protection',
      help: 'Refused deletions of CRDs.',
      labelNames: plain,
      registers,
    }),
  };
  const workloads = new Counter({
    name: 'workload_deletion_protection',
    help: 'Refused deletions of workloads.',
    labelNames: ['kind_namespace_name', 'username'],
    registers,
  });
  const budgets = new Counter({
    name: 'pod_unavailable_budget',
    help: 'Operations on Pods that a PodUnavailableBudget refused.',
    labelNames: ['kind_namespace_name', 'username'],
    registers,
  });
  return (record) => {
    const { Event, Kind, Namespace, Name, UserAgent: username } = record;
    if (Event === 'PodUnavailableBudget')
      budgets.inc({ kind_namespace_name: `${Kind}_${Namespace === '' ? 'default' : Namespace}_${Name}`, username });
    else if (Kind === 'Namespace' || Kind === 'CustomResourceDefinition') counters[Kind].inc({ name: Name, username });
    else workloads.inc({ kind_namespace_name: `${Kind}_${Namespace}_${Name}`, username });
    log.record(record);
  };
}
