/** What the controller's parts work with. */
import type { CloneSet } from '@kruise/api';
import type { ToldRefusals } from '../../workloads/told-refusals.ts';
import type { WellFormed, WorkloadIo, WorkloadTypes } from '../../workloads/workload-controller.ts';
import type { Action } from './action.ts';
import type { CloneSetEvents } from './events.ts';
import type { Stores } from './observe.ts';
import type { Context, Snapshot } from './snapshot.ts';

/** Stores, and memories of former passes. */
export interface Known extends Stores {
  /** Which refusal of a budget the status names. */
  readonly guardRefusals: ToldRefusals<Action>;
}

export interface CloneSetTypes extends WorkloadTypes {
  readonly known: Known;
  readonly examined: WellFormed;
  readonly snapshot: Snapshot;
  readonly context: Context;
  readonly events: CloneSetEvents;
}

/** What the actions of one pass are carried out with. */
export type Io = WorkloadIo<CloneSet, Context, CloneSetEvents>;
