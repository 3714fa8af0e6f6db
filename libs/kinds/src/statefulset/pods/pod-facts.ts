/** What the rules of a StatefulSet ask about one Pod. @see spec/statefulset.md 5.2 */
import type { StatefulSet } from '@kruise/api';
import { isTerminating, milliseconds, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import { isOfRevision, statefulSetRevisions } from '@kruise/pods';
import { podViewOf } from '@kruise/workloads';
import { minReadySecondsOf } from '../snapshot/strategy.ts';

export const isReadyRunning = (pod: Pod): boolean => podViewOf(pod).isReadyRunning;

/** No lifecycle hook waits on the Pod. */
const isLifecycleOk = (pod: Pod): boolean => {
  const { state } = podViewOf(pod);
  return state === '' || state === 'Normal';
};

export const isHealthy = (pod: Pod): boolean => isLifecycleOk(pod) && isReadyRunning(pod) && !isTerminating(pod);

/** Since when a ready Pod has to have been so; from that time on (not: after it) it is available. */
function readyFor(set: StatefulSet, pod: Pod, now: Instant): number {
  const minReady = minReadySecondsOf(set) * 1000;
  if (minReady <= 0) return 0;
  const { readySince } = podViewOf(pod);
  return readySince === undefined ? minReady : Math.max(readySince + minReady - now, 0);
}

/** Ready for `minReadySeconds`, and not held by a hook. Whether the Pod terminates is not looked at. */
export const isAvailable = (set: StatefulSet, pod: Pod, now: Instant): boolean =>
  isLifecycleOk(pod) && isReadyRunning(pod) && readyFor(set, pod, now) === 0;

/** When time alone makes the Pod available; undefined when it is, or when something has to change. */
export function availableIn(set: StatefulSet, pod: Pod, now: Instant): Milliseconds | undefined {
  const wait = isLifecycleOk(pod) && isReadyRunning(pod) ? readyFor(set, pod, now) : 0;
  return wait > 0 ? milliseconds(wait) : undefined;
}

/** Whether the Pod is of the revision with this name. */
export const isOf = (pod: Pod, revision: string): boolean => isOfRevision(statefulSetRevisions, pod, revision);
