/**
 * Pods that have no slot: they go, from the highest ordinal down, one at a time unless the policy is Parallel.
 * @see spec/statefulset.md 5.4
 */
import type { StatefulSet } from '@kruise/api';
import { isTerminating, isPodFinished, earliest, type Milliseconds, type Pod } from '@kruise/objects';
import { isHooked } from '@kruise/pods';
import { planPodDeletion, podViewOf, type Workload } from '@kruise/workloads';
import type { Action } from './snapshot/action.ts';
import type { Arrangement } from './snapshot/arrangement.ts';
import { availableIn, isAvailable, isHealthy } from './pods/pod-facts.ts';
import type { Context } from './snapshot/snapshot.ts';
import { isMonotonic } from './snapshot/strategy.ts';

export interface CondemnedPlan {
  readonly actions: readonly Action[];
  readonly requeueAfter?: Milliseconds;
}

const because = 'its ordinal is not used';

const deletionOf = (pod: Pod, workload: Workload): readonly Action[] =>
  planPodDeletion(pod, because, workload, (target, why): Action => ({ kind: 'DeletePod', pod: target, because: why }));

const isWaitingForHook = (pod: Pod): boolean => ['PreparingDelete', 'PreparingUpdate'].includes(podViewOf(pod).state);

/** What a hook holds that was requested an update is left to it; once that lets go there is no update to begin. */
const afterHook = (pod: Pod, workload: Workload): readonly Action[] =>
  podViewOf(pod).state === 'PreparingUpdate' && isHooked(workload.lifecycle?.inPlaceUpdate, pod) ? [] : deletionOf(pod, workload);

/**
 * None while another is being deleted. One that has ended, as it never becomes available; else the one that waits for its hook, before another is requested; else the highest, if it may
 * be deleted. A Pod that is not available holds the others up, as it may come to need what they have; unless it is the lowest of those that are not
 * healthy, behind which nothing waits.
 *
 * @param condemned descending; every slot is filled and available
 */
function nextToGo(set: StatefulSet, condemned: readonly Pod[], workload: Workload, { now }: Context): CondemnedPlan {
  const [pod] = condemned;
  if (pod === undefined || condemned.some(isTerminating)) return { actions: [] };
  const ended = condemned.find(isPodFinished);
  if (ended !== undefined) return { actions: deletionOf(ended, workload) };
  const waiting = condemned.find(isWaitingForHook);
  if (waiting !== undefined) return { actions: afterHook(waiting, workload) };
  const firstUnhealthy = condemned.findLast((one) => !isHealthy(one));
  if (isAvailable(set, pod, now) || pod === firstUnhealthy) return { actions: deletionOf(pod, workload) };
  return { actions: [], ...earliest([availableIn(set, pod, now)]) };
}

/**
 * As many of the lowest as there are slots without a Pod stand in for these: where the new Pods cannot be created, the old ones stay. Those that have
 * ended stand in for nothing.
 */
function notStandingIn({ missing, condemned }: Arrangement): readonly Pod[] {
  const staying = condemned.filter((pod) => !isTerminating(pod));
  const serving = staying.filter((pod) => !isPodFinished(pod));
  const standIns = new Set(serving.slice(Math.max(serving.length - missing, 0)));
  return staying.filter((pod) => !standIns.has(pod));
}

export function planCondemned(set: StatefulSet, arrangement: Arrangement, workload: Workload, context: Context): CondemnedPlan {
  if (isMonotonic(set)) return nextToGo(set, arrangement.condemned, workload, context);
  return { actions: notStandingIn(arrangement).flatMap((pod) => deletionOf(pod, workload)) };
}
