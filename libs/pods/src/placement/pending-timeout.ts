/** Detects Pods that have waited for a node for too long. Pure. @see spec/uniteddeployment.md 5.4, spec/workloadspread.md 5.7 */
import { milliseconds, parseTime, podCondition, seconds, type Instant, type Milliseconds, type Pod } from '@kruise/objects';

export type PendingTimeout =
  /** It has a node, has ended, or is being deleted. */
  | { readonly kind: 'NotWaiting' }
  /** The scheduler found no node for it within the time. */
  | { readonly kind: 'TimedOut' }
  /** It may still time out; `checkAfter` is above 0. */
  | { readonly kind: 'Waiting'; readonly checkAfter: Milliseconds };

/** A Pod that the scheduler has not reported on yet is checked no sooner than this. */
const leastWait = seconds(1);

/** Returns whether the Pod waits for a node: not deleted, pending, and on none. */
const waitsForNode = ({ metadata, spec, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase === 'Pending' && (spec.nodeName ?? '') === '';

/**
 * Returns whether a Pod that cannot be scheduled has waited for longer than `critical` since its creation.
 *
 * @param critical 0 or more
 * @remarks A Pod that the scheduler has not reported as unschedulable yet never times out, but must be checked again: there may be no event when the
 * scheduler reports it.
 */
export function pendingTimeout(pod: Pod, critical: Milliseconds, now: Instant): PendingTimeout {
  const created = parseTime(pod.metadata.creationTimestamp);
  if (!waitsForNode(pod) || created === undefined) return { kind: 'NotWaiting' };
  const left = created + critical - now;
  const scheduled = podCondition(pod, 'PodScheduled');
  const isUnschedulable = scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
  if (isUnschedulable && left < 0) return { kind: 'TimedOut' };
  return { kind: 'Waiting', checkAfter: milliseconds(Math.max(left, isUnschedulable ? 1 : leastWait)) };
}
