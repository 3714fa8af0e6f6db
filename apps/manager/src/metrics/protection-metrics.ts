/** What deletion protection and budgets refused. @see spec/manager.md 3.1, 3.4 */
import { admissionLimits } from '@kruise/objects';
import { Counter, type Registry } from 'prom-client';
import { BoundedSeries } from './bounded-series.ts';
import type { ProtectionLog, ProtectionRecord } from '../process/protection-log.ts';

const { protectionSeries, protectionSeriesOfNamespace, protectionCharacters } = admissionLimits;

/** Names come from requests, also forged ones. */
function cut(text: string): string {
  const most = protectionCharacters.value;
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

const cutRecord = ({ Event, Kind, Namespace, Name, UserAgent }: ProtectionRecord): ProtectionRecord => ({
  Event,
  Kind: cut(Kind),
  Namespace: cut(Namespace),
  Name: cut(Name),
  UserAgent: cut(UserAgent),
});

/** Of what has no series of its own. */
const other = 'other';

/** Counts a denial under the metric of its kind and puts it into the protection log. */
export function createProtectionRecorder(registry: Registry, log: ProtectionLog): (record: ProtectionRecord) => void {
  const counter = <L extends string>(name: string, help: string, ...labelNames: readonly L[]): Counter<L> =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const counters = {
    Namespace: counter('namespace_deletion_protection', 'Refused deletions of Namespaces.', 'name', 'username'),
    CustomResourceDefinition: counter('crd_deletion_protection', 'Refused deletions of CRDs.', 'name', 'username'),
  };
  const workloads = counter('workload_deletion_protection', 'Refused deletions of workloads.', 'kind_namespace_name', 'username');
  const budgets = counter(
    'pod_unavailable_budget',
    'Operations on Pods that a PodUnavailableBudget refused.',
    'kind_namespace_name',
    'username',
  );
  const counted = (record: ProtectionRecord): readonly [Counter<string>, Readonly<Record<string, string>>] => {
    const { Event, Kind, Namespace, Name, UserAgent: username } = record;
    if (Event === 'PodUnavailableBudget')
      return [budgets, { kind_namespace_name: `${Kind}_${Namespace === '' ? 'default' : Namespace}_${Name}`, username }];
    if (Kind === 'Namespace' || Kind === 'CustomResourceDefinition') return [counters[Kind], { name: Name, username }];
    return [workloads, { kind_namespace_name: `${Kind}_${Namespace}_${Name}`, username }];
  };
  const series = new BoundedSeries({ all: protectionSeries.value, perHolder: protectionSeriesOfNamespace.value });
  return (given) => {
    const record = cutRecord(given);
    const [counter, labels] = counted(record);
    const { Event, Kind, Namespace, Name, UserAgent } = record;
    const isNamed = series.admits(JSON.stringify([Event, Kind, Namespace, Name, UserAgent]), Namespace);
    counter.inc(isNamed ? labels : Object.fromEntries(Object.keys(labels).map((label) => [label, other])));
    log.record(record);
  };
}
