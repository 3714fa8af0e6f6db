/** What the controller's parts work with. */
import type { DaemonSet } from '@kruise/api';
import type { WellFormed, WorkloadIo, WorkloadTypes } from '../../workloads/passes/workload-controller.ts';
import type { DaemonSetEvents } from './events.ts';
import type { FailedPods, Context, Snapshot } from '@kruise/kinds/daemonset';
import type { Known } from './observe.ts';

export interface DaemonSetTypes extends WorkloadTypes {
  readonly known: Known;
  readonly examined: WellFormed;
  readonly snapshot: Snapshot;
  readonly context: Context;
  readonly events: DaemonSetEvents;
}

/** What the actions of one pass are carried out with. */
export interface Io extends WorkloadIo<DaemonSet, Context, DaemonSetEvents> {
  /** Lengthens how long the next failed Pod of the node stays. */
  readonly failedPods: Pick<FailedPods, 'note'>;
}
