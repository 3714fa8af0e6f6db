/** What the controller's parts work with. */
import type { BroadcastJob } from '@kruise/api';
import type { WorkloadIo, WorkloadTypes } from '../../workloads/passes/workload-controller.ts';
import type { BroadcastJobEvents } from './events.ts';
import type { Known } from './observe.ts';
import type { Context, Snapshot } from '@kruise/kinds/broadcastjob';

export interface BroadcastJobTypes extends WorkloadTypes {
  readonly known: Known;
  readonly snapshot: Snapshot;
  readonly context: Context;
  readonly events: BroadcastJobEvents;
}

/** What the actions of one pass are carried out with. */
export type Io = Pick<WorkloadIo<BroadcastJob, Context, BroadcastJobEvents>, 'client' | 'object' | 'events'>;
