/**
 * Pods that have no slot: they go, from the highest ordinal down, one at a time unless the policy is Parallel.
 * @see spec/statefulset.md 5.4
 */
import type { StatefulSet } from '@kruise/api';
import { earliest, type Milliseconds, type Pod } from '@kruise/objects';
import { isHooked } from '@kruise/pods';
import { planPodDeletion, podViewOf, type Workload } from '@kruise/workloads';
import type { Action } from './action.ts';
import { availableIn, isAvailable, isHealthy, isTerminating } from './pod-facts.ts';
import type { Context } from './snapshot.ts';
import { isMonotonic } from './strategy.ts';

export interface CondemnedPlan {
  readonly actions: readonly Action[];
  readonly lookAgainAfter?: Milliseconds;
}

const because = 'its ordinal is not used';

const deletionOf = (pod: Pod, workload: Workload): readonly Action[] =>
  planPodDeletion(pod, because, workload, (gone, why): Action => ({ kind: 'DeletePod', pod: gone, because: why }));

const isWaitingForHook = (pod: Pod): boolean => ['PreparingDelete', 'PreparingUpdate'].includes(podViewOf(pod).state);

/** What a hook holds that was asked for an update is left to it; once that lets go there is no update to begin. */
const afterHook = (pod: Pod, workload: Workload): readonly Action[] =>
  podViewOf(pod).state === 'PreparingUpdate' && isHooked(workload.lifecycle?.inPlaceUpdate, pod) ? [] : deletionOf(pod, workload);

/**
 * The one that waits for its hook, before another is asked for; else the highest, if it may go. A Pod that is not available holds the others up, as
 * it may come to need what they have; unless it is the lowest of those that are not healthy, behind which nothing waits.
 *
 * @param condemned descending; every slot is filled and available
 */
function nextToGo(set: StatefulSet, condemned: readonly Pod[], workload: Workload, { now }: Context): CondemnedPlan {
  const [pod] = condemned;
  if (pod === undefined || isTerminating(pod)) return { actions: [] };
  const waiting = condemned.find(isWaitingForHook);
  if (waiting !== undefined) return { actions: afterHook(waiting, workload) };
  const firstUnhealthy = condemned.findLast((one) => !isHealthy(one));
  if (isAvailable(set, pod, now) || pod === firstUnhealthy) return { actions: deletionOf(pod, workload) };
  return { actions: [], ...earliest([availableIn(set, pod, now)]) };
}

/** @param condemned descending by ordinal */
export function planCondemned(set: StatefulSet, condemned: readonly Pod[], workload: Workload, context: Context): CondemnedPlan {
  if (isMonotonic(set)) return nextToGo(set, condemned, workload, context);
  return { actions: condemned.filter((pod) => !isTerminating(pod)).flatMap((pod) => deletionOf(pod, workload)) };
}
