/** What the controller's parts work with. */
import type { CloneSet } from '@kruise/api';
import type { WellFormed, WorkloadIo, WorkloadTypes } from '../../workloads/passes/workload-controller.ts';
import type { Context, Snapshot } from '@kruise/kinds/cloneset';
import type { CloneSetEvents } from './events.ts';
import type { Stores } from './observe.ts';

export interface CloneSetTypes extends WorkloadTypes {
  readonly known: Stores;
  readonly examined: WellFormed;
  readonly snapshot: Snapshot;
  readonly context: Context;
  readonly events: CloneSetEvents;
}

/** What the actions of one pass are carried out with. */
export type Io = WorkloadIo<CloneSet, Context, CloneSetEvents>;
