/**
 * What becomes of Pods with a slot that wait for a hook. In PreparingDelete some are deleted when it lets go, others are wanted again; in
 * PreparingUpdate some are not to be updated any more.
 * @see spec/statefulset.md 8
 */
import type { Gates, StatefulSet } from '@kruise/api';
import type { Pod } from '@kruise/objects';
import { canUndelete, planLifecycleRefresh, planLifecycleUndelete, type LifecycleState } from '@kruise/pods';
import { planPodDeletion, podViewOf, type UpkeepAction, type Workload } from '@kruise/workloads';
import type { Action } from '../snapshot/action.ts';
import { ordinalOf, podsIn, type Arrangement } from '../snapshot/arrangement.ts';
import { isRecreatedForClaims } from './identity.ts';
import { isOf } from './pod-facts.ts';
import { isMonotonic, isOnDelete, isPaused, podUpdatePolicyOf } from '../snapshot/strategy.ts';

export type PreparedFate =
  /** The Pod is deleted and recreated after its hook releases it. */
  | 'Go'
  /** The Pod returns to service. */
  | 'Return'
  /** The update that it waits for is paused. */
  | 'Stay';

export interface PreparedInput {
  readonly set: StatefulSet;
  /** Pods that must have the update revision. */
  readonly targets: Pick<ReadonlySet<Pod>, 'has'>;
  readonly workload: Workload;
  readonly gates: Gates;
}

/**
 * A Pod that the update will replace, or that a user has marked, is deleted. Any other Pod is wanted again, unless its hook has taken it out of
 * service: no client would return it to service.
 *
 * @param pod in state PreparingDelete, with a slot
 */
export function fateOf(pod: Pod, { set, targets, gates, workload: { lifecycle, updateRevision } }: PreparedInput): PreparedFate {
  const isOutdated = !isOf(pod, updateRevision) && podUpdatePolicyOf(set) !== 'InPlaceOnly';
  const isReplaced = targets.has(pod) && (isOutdated || isRecreatedForClaims(set, ordinalOf(set, pod) ?? 0, pod, { gates }));
  const isMarked = podViewOf(pod).isMarkedForDeletion && !isOnDelete(set);
  if (isReplaced || isMarked) return isPaused(set) ? 'Stay' : 'Go';
  return canUndelete(lifecycle) ? 'Return' : 'Go';
}

export interface PreparedPlan {
  readonly returns: readonly UpkeepAction[];
  /** Without Parallel they wait for their turn in the walk over the slots. */
  readonly deletions: readonly Action[];
}

/** A Pod that the update leaves where it is by now, as the partition was raised, is done with its hook as one whose update is complete. */
function planLeftBehind(pod: Pod, { targets, workload }: PreparedInput): readonly UpkeepAction[] {
  if (targets.has(pod) || isOf(pod, workload.updateRevision)) return [];
  const done = { isOfUpdateRevision: true, isUpdateComplete: () => true, waitForNode: false };
  const transition = planLifecycleRefresh(pod, { lifecycle: workload.lifecycle, now: workload.now, ...done });
  const because = 'its update is no longer wanted';
  return transition === undefined ? [] : [{ kind: 'SetLifecycle', pod, transition: { ...transition, because }, because }];
}

const preparing: ReadonlySet<string> = new Set<LifecycleState>(['PreparingDelete', 'PreparingUpdate']);

/** Pods that the update is to bring to another revision by way of their deletion are not looked at by the update itself. */
export function planPrepared(arrangement: Arrangement, input: PreparedInput): PreparedPlan {
  const { set, workload } = input;
  const pods = podsIn(arrangement.filled.filter(({ view }) => view.isActive && preparing.has(view.state)));
  const isIn = (state: LifecycleState) => (pod: Pod) => podViewOf(pod).state === state;
  const waiting = pods.filter(isIn('PreparingDelete'));
  const of = (fate: PreparedFate): readonly Pod[] => waiting.filter((pod) => fateOf(pod, input) === fate);
  const undeleted = of('Return').map((pod): UpkeepAction => {
    const transition = planLifecycleUndelete(pod, workload.lifecycle, workload.now);
    return { kind: 'SetLifecycle', pod, transition, because: transition.because };
  });
  const returns = [...undeleted, ...pods.filter(isIn('PreparingUpdate')).flatMap((pod) => planLeftBehind(pod, input))];
  const deletions = isMonotonic(set) ? [] : of('Go').flatMap((pod) => planPreparedDeletion(pod, workload));
  return { returns, deletions };
}

/** @returns nothing while its hook holds it */
export const planPreparedDeletion = (pod: Pod, workload: Workload): readonly Action[] =>
  planPodDeletion(pod, 'its preDelete hook let go', workload, (target, because): Action => ({ kind: 'DeletePod', pod: target, because }));
