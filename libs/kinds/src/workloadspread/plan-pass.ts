/**
 * What one pass over a WorkloadSpread does. It marks the Pods that it has seen, and decides the rest on the newest copy, because admission counts in the
 * status meanwhile. Pure.
 *
 *   Pods seen -> marks -> newest copy: status -> Pods without a node are deleted
 *
 * @see spec/workloadspread.md 5.2
 */
import type { WorkloadSpread, WorkloadSpreadStatus } from '@kruise/api';
import { deepEqual, earliest, workloadLimits, type Milliseconds, type Stage, type StageResult } from '@kruise/objects';
import type { MarkPod } from './injection/mark-pod.ts';
import { plan, type Action, type Context, type Note, type Snapshot } from './plan.ts';

/** What a pass could read. */
export type Observed =
  | { readonly kind: 'Seen'; readonly snapshot: Snapshot }
  /** The version of new Pods is not known yet, and why. */
  | { readonly kind: 'NotYet'; readonly why: string };

export interface PassPlan {
  readonly marks: readonly MarkPod[];
  readonly failure?: Error;
}

/** What is decided after the marks. */
export interface Conclusion {
  readonly status?: WorkloadSpreadStatus;
  /** What the status changes, for events. */
  readonly notes?: readonly Note[];
  readonly after?: readonly Stage<Action>[];
  readonly requeueAfter?: Milliseconds;
  readonly isOver?: boolean;
}

export function planPass(seen: Observed, at: Context): PassPlan {
  return seen.kind === 'Seen' ? { marks: plan(seen.snapshot, at).marks } : { marks: [], failure: new Error(seen.why) };
}

/** A Pod that refuses a write delays neither the others nor the status, and uses up nothing of the burst. */
const burst = workloadLimits.actionsOfPass.value;

export const stagesOf = ({ marks }: PassPlan): readonly Stage<Action>[] => [
  { name: 'mark', actions: marks, onFailure: 'Collect', pace: 'AtOnce', burst },
];

/**
 * Counts the same Pods under the newest counters, so that what admission has promised meanwhile to Pods that are not among them stays promised.
 *
 * @param newest the copy on which the status will be written
 * @param marked result of the stage of the marks
 * @returns nothing for a newer spec, because the Pods were sorted by the former one: its change enqueues the next pass
 */
export function conclude(
  newest: WorkloadSpread,
  seen: Observed,
  marked: Pick<StageResult<Action>, 'error' | 'isCut'> | undefined,
  at: Omit<Context, 'areMarksLeft'>,
): Conclusion {
  if (seen.kind !== 'Seen' || newest.metadata.generation !== seen.snapshot.spread.metadata.generation) return { isOver: true };
  const areMarksLeft = marked?.error !== undefined || marked?.isCut === true;
  const { status, notes, reschedule, requeueAfter } = plan({ ...seen.snapshot, spread: newest }, { ...at, areMarksLeft });
  return {
    status,
    notes: deepEqual(newest.status, status) ? [] : notes,
    after: [{ name: 'reschedule', actions: reschedule, onFailure: 'Collect', burst }],
    ...earliest([requeueAfter]),
  };
}
