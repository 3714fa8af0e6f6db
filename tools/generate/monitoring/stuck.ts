/** Workloads that do not reach what their spec requests, by the metrics of kruise-state-metrics. @see spec/operations.md 5.5 */
import { ours } from './queries.ts';

/** A kind of workload in the output of kruise-state-metrics. */
export interface FleetKind {
  readonly kind: string;
  /** The label with the name of the object, which is also part of the names of its metrics. */
  readonly label: string;
  /** Metrics, without `kruise_<label>_`: how many Pods there must be, how many are ready, and how many are updated. */
  readonly desired: string;
  readonly ready: string;
  readonly updated: string;
  readonly available: string;
  /** Whether the update strategy may leave updates to the user. */
  readonly hasOnDelete: boolean;
}

/** In the order in which dashboards show them. */
export const fleetKinds: readonly FleetKind[] = [
  {
    kind: 'CloneSet',
    label: 'cloneset',
    desired: 'spec_replicas',
    ready: 'status_replicas_ready',
    updated: 'status_replicas_updated_ready',
    available: 'status_replicas_available',
    hasOnDelete: false,
  },
  {
    kind: 'StatefulSet',
    label: 'statefulset',
    desired: 'spec_replicas',
    ready: 'status_replicas_ready',
    updated: 'status_replicas_updated',
    available: 'status_replicas_available',
    hasOnDelete: true,
  },
  {
    kind: 'DaemonSet',
    label: 'daemonset',
    desired: 'status_desired_number_scheduled',
    ready: 'status_number_ready',
    updated: 'status_updated_number_scheduled',
    available: 'status_number_available',
    hasOnDelete: true,
  },
];

/**
 * A metric of a kind, one series for each object, whichever replica of the exporter it comes from.
 *
 * @param more further matchers, each with a leading comma
 */
export const perObject = ({ label }: Pick<FleetKind, 'label'>, metric: string, more = ''): string =>
  `max by (namespace, ${label}) (kruise_${label}_${metric}{${ours}${more}})`;

/** How many Pods are not ready, for objects in which there are any. */
export const notReady = (kind: FleetKind, more = ''): string =>
  `${perObject(kind, kind.desired, more)} - ${perObject(kind, kind.ready, more)} > 0`;

/** How many Pods are not updated, for objects whose strategy wants all of them updated: not paused, without a partition, not `OnDelete`. */
export function notUpdated(kind: FleetKind, more = ''): string {
  const excluded = [
    `${perObject(kind, 'spec_strategy_paused', more)} > 0`,
    perObject(kind, 'spec_strategy_partition', `${more},partition!~"0%?"`),
    ...(kind.hasOnDelete ? [perObject(kind, 'spec_strategy_type', `${more},strategy_type="OnDelete"`)] : []),
  ];
  const missing = `${perObject(kind, kind.desired, more)} - ${perObject(kind, kind.updated, more)} > 0`;
  return [missing, ...excluded].join(' unless ');
}

/** How many Pods are not as the spec wants them, for objects in which there are any. */
export const stuck = (kind: FleetKind): string => `(${notReady(kind)}) or (${notUpdated(kind)})`;
