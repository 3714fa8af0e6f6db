/**
 * When a Pod counts as updated or available, for the workload kinds. `active`, `ready` and plain `available` are in libs/objects. @see
 * spec/inplace-update.md 9.4
 */
import { podConditions } from '@kruise/api';
import { type Instant, type Pod, isPodAvailable, podCondition } from '@kruise/objects';

/** Returns whether the Pod is running, ready for longer than `minReadySeconds`, and not in the middle of an in-place update. */
export function isPodUpdateReady(pod: Pod, minReadySeconds: number, now: Instant): boolean {
  const updateReady = podCondition(pod, podConditions.inPlaceUpdateReady)?.status ?? 'True';
  return pod.status?.phase === 'Running' && updateReady === 'True' && isPodAvailable(pod, minReadySeconds, now);
}
