/** What the rules of a StatefulSet ask about one Pod. @see spec/statefulset.md 5.2 */
import type { StatefulSet } from '@kruise/api';
import { milliseconds, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import { isOfRevision, statefulSetRevisions } from '@kruise/pods';
import { podViewOf, type PodView } from '@kruise/workloads';
import { minReadySecondsOf } from '../snapshot/strategy.ts';

/** No lifecycle hook waits on the Pod. */
const isLifecycleOk = ({ state }: PodView): boolean => state === '' || state === 'Normal';

const isUsable = (view: PodView): boolean => isLifecycleOk(view) && view.isReadyRunning;

export const isViewHealthy = (view: PodView): boolean => isUsable(view) && !view.isTerminating;

export const isHealthy = (pod: Pod): boolean => isViewHealthy(podViewOf(pod));

/** Since when a ready Pod has to have been so; from that time on (not: after it) it is available. */
function readyFor(set: StatefulSet, { readySince }: PodView, now: Instant): number {
  const minReady = minReadySecondsOf(set) * 1000;
  if (minReady <= 0) return 0;
  return readySince === undefined ? minReady : Math.max(readySince + minReady - now, 0);
}

/** Ready for `minReadySeconds`, and not held by a hook. Whether the Pod terminates is not looked at. */
export const isViewAvailable = (set: StatefulSet, view: PodView, now: Instant): boolean => isUsable(view) && readyFor(set, view, now) === 0;

/** The same for the Pod of the view. */
export const isAvailable = (set: StatefulSet, pod: Pod, now: Instant): boolean => isViewAvailable(set, podViewOf(pod), now);

/** When time alone makes the Pod available; undefined when it is, or when something has to change. */
export function availableIn(set: StatefulSet, pod: Pod, now: Instant): Milliseconds | undefined {
  const view = podViewOf(pod);
  const wait = isUsable(view) ? readyFor(set, view, now) : 0;
  return wait > 0 ? milliseconds(wait) : undefined;
}

/** Whether the Pod is of the revision with this name. */
export const isOf = (pod: Pod, revision: string): boolean => isOfRevision(statefulSetRevisions, pod, revision);
