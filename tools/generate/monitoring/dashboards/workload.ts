/** One workload: its Pods, and what their containers use by the metrics of the kubelets. */
import { type Dashboard, graph, type Panel, stat } from '../grafana.ts';
import { ours } from '../queries.ts';
import { type FleetKind, fleetKinds } from '../stuck.ts';

/** Pods of a CloneSet or StatefulSet are named after it. */
const containers = 'namespace="$namespace",pod=~"$name-[^-]+"';

const usage: readonly Panel[] = [
  graph('CPU', 'none', `sum(rate(container_cpu_usage_seconds_total{${containers},container!=""}[3m]))`, 'cores'),
  graph('Memory', 'bytes', `sum(container_memory_working_set_bytes{${containers},container!=""})`, 'memory'),
  {
    title: 'Network',
    unit: 'Bps',
    kind: 'timeseries',
    queries: [
      { expr: `sum(rate(container_network_transmit_bytes_total{${containers}}[3m]))`, legend: 'sent' },
      { expr: `sum(rate(container_network_receive_bytes_total{${containers}}[3m]))`, legend: 'received' },
    ],
  },
];

function workload(kind: FleetKind): Dashboard {
  const { label } = kind;
  const of = (metric: string): string => `max(kruise_${label}_${metric}{${ours},namespace="$namespace",${label}="$name"})`;
  const generation = `kruise_${label}_metadata_generation`;
  return {
    uid: `kruise-${label}`,
    title: `Kruise / ${kind.kind}`,
    variables: [
      { name: 'namespace', label: 'Namespace', query: `label_values(${generation}{${ours}}, namespace)`, multi: false },
      { name: 'name', label: kind.kind, query: `label_values(${generation}{${ours},namespace="$namespace"}, ${label})`, multi: false },
    ],
    panels: [
      { ...stat('Desired', 'none', of(kind.desired)), width: 6 },
      { ...stat('Available', 'none', of(kind.available)), width: 6 },
      { ...stat('Generation', 'none', of('metadata_generation')), width: 6 },
      { ...stat('Observed generation', 'none', of('status_observed_generation')), width: 6 },
      {
        title: 'Pods',
        unit: 'none',
        kind: 'timeseries',
        queries: [
          { expr: of(kind.desired), legend: 'desired' },
          { expr: of('status_replicas'), legend: 'current' },
          { expr: of(kind.available), legend: 'available' },
          { expr: `${of(kind.desired)} - ${of(kind.available)}`, legend: 'unavailable' },
          { expr: of('status_replicas_updated'), legend: 'updated' },
        ],
      },
      ...usage,
    ],
  };
}

/** For the kinds of which the original has a dashboard. @see spec/operations.md 5.4 */
export const workloads: readonly Dashboard[] = fleetKinds.filter(({ kind }) => kind !== 'DaemonSet').map(workload);
