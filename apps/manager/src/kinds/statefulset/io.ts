/** What the controller's parts work with. */
import type { StatefulSet } from '@kruise/api';
import type { WellFormed, WorkloadIo, WorkloadTypes } from '../../workloads/passes/workload-controller.ts';
import type { StatefulSetEvents } from './events.ts';
import type { Stores } from './observe.ts';
import type { Context, Snapshot } from '@kruise/kinds/statefulset';

export interface StatefulSetTypes extends WorkloadTypes {
  readonly known: Stores;
  readonly examined: WellFormed;
  readonly snapshot: Snapshot;
  readonly context: Context;
  readonly events: StatefulSetEvents;
}

/** What the actions of one pass are carried out with. */
export type Io = WorkloadIo<StatefulSet, Context, StatefulSetEvents>;
