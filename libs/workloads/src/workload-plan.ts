import type { Milliseconds } from '@kruise/objects';
import type { BlockingCause } from './progress/blocking-cause.ts';

/** The common part of the plan of a pass for every kind that owns Pods, in the order of its stages. A kind adds the stages that create, delete and update Pods. */
export interface WorkloadPlan<Action, Status> {
  /** Writes to revisions. While there is one, the plan contains no other action. */
  readonly revisions: readonly Action[];
  /** Ownership of Pods and revisions, and what the other stages rely on. */
  readonly groundwork: readonly Action[];
  /** Pulls of images ahead of the update; their failures stop no other stage. */
  readonly preDownload: readonly Action[];
  readonly update: readonly Action[];
  readonly status: Status;
  /** What prevents progress, judged by the objects. */
  readonly blockedBy?: BlockingCause;
  /** Deletion of old revisions, and of marks in the spec that have served. */
  readonly housekeeping: readonly Action[];
  readonly requeueAfter?: Milliseconds;
}
