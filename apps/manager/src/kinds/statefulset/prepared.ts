/**
 * What becomes of Pods that wait in PreparingDelete and have a slot: some are deleted when their hook lets go, others are wanted again.
 * @see spec/statefulset.md 8
 */
import type { StatefulSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { canUndelete, planLifecycleUndelete } from '@kruise/pods';
import { planPodDeletion, podViewOf, type UpkeepAction, type Workload } from '@kruise/workloads';
import type { Action } from './action.ts';
import { podsIn, type Arrangement } from './arrangement.ts';
import { isFinished, isOf, isTerminating } from './pod-facts.ts';
import { isMonotonic, isOnDelete, isPaused, podUpdatePolicyOf } from './strategy.ts';

export type PreparedFate =
  /** It is deleted, and made anew, once its hook lets go. */
  | 'Go'
  /** It goes back into service. */
  | 'Return'
  /** The update that it goes for is paused: it waits. */
  | 'Stay';

export interface PreparedInput {
  readonly set: StatefulSet;
  /** Pods that are to be at the update revision. */
  readonly targets: ReadonlySet<Pod>;
  readonly workload: Workload;
}

/**
 * A Pod that the update is to replace, or that somebody has marked, goes. Any other is wanted again, unless its hook has taken it out of service:
 * nothing would put it back.
 *
 * @param pod in state PreparingDelete, with a slot
 */
export function fateOf(pod: Pod, { set, targets, workload: { lifecycle, updateRevision } }: PreparedInput): PreparedFate {
  const isReplaced = targets.has(pod) && !isOf(pod, updateRevision) && podUpdatePolicyOf(set) !== 'InPlaceOnly';
  const isMarked = podViewOf(pod).isMarkedForDeletion && !isOnDelete(set);
  if (isReplaced || isMarked) return isPaused(set) ? 'Stay' : 'Go';
  return canUndelete(lifecycle) ? 'Return' : 'Go';
}

export interface PreparedPlan {
  readonly returns: readonly UpkeepAction[];
  /** Without Parallel they wait for their turn in the walk over the slots. */
  readonly deletions: readonly Action[];
}

/** Pods that the update is to bring to another revision by way of their deletion are not looked at by the update itself. */
export function planPrepared(arrangement: Arrangement, input: PreparedInput): PreparedPlan {
  const { set, workload } = input;
  const isWaiting = (pod: Pod): boolean => podViewOf(pod).state === 'PreparingDelete' && !isFinished(pod) && !isTerminating(pod);
  const waiting = podsIn(arrangement.slots).filter(isWaiting);
  const of = (fate: PreparedFate): readonly Pod[] => waiting.filter((pod) => fateOf(pod, input) === fate);
  const returns = of('Return').map((pod): UpkeepAction => {
    const transition = planLifecycleUndelete(pod, workload.lifecycle, workload.now);
    return { kind: 'SetLifecycle', pod, transition, because: transition.because };
  });
  const deletions = isMonotonic(set) ? [] : of('Go').flatMap((pod) => planPreparedDeletion(pod, workload));
  return { returns, deletions };
}

/** @returns nothing while its hook holds it */
export const planPreparedDeletion = (pod: Pod, workload: Workload): readonly Action[] =>
  planPodDeletion(pod, 'its preDelete hook let go', workload, (gone, because): Action => ({ kind: 'DeletePod', pod: gone, because }));
