/** Decides which of the Pods that an index returned belong to a workload. @see spec/inplace-update.md 12 */
import { controllerOf, isControlledBy, memoizedList, type LabelMatcher, type OwnerReference, type Pod } from '@kruise/objects';
import { decideClaim, type Claimant } from '@kruise/pods';

/** The Pods of a workload, and those whose owner changes. */
export interface ClaimedPods {
  /** Pods that it controls and selects; while it is being deleted all that it controls. In the given order. */
  readonly owned: readonly Pod[];
  /** Pods without a controller that it selects: it adopts them. */
  readonly adopted: readonly Pod[];
  /** Pods that it controls and no longer selects, with their remaining owners. */
  readonly released: readonly { readonly pod: Pod; readonly ownerReferences: readonly OwnerReference[] }[];
}

const isOwned = memoizedList(
  (pod: Pod, uid: string, selector: LabelMatcher): boolean => isControlledBy(pod, uid) && selector.matches(pod.metadata.labels),
);

/**
 * Returns whether the workload controls and selects every Pod, as in nearly every pass: then {@link claimPods} returns all of them as owned. Only Pods
 * that have changed since the last list cost time.
 *
 * @param metadata of the workload
 */
export const ownsAll = (metadata: Pod['metadata'], pods: readonly Pod[], selector: LabelMatcher): boolean =>
  isOwned(metadata, pods, metadata.uid ?? '', selector).every(Boolean);

/** Sorts Pods by what the workload does with each of them. */
export function claimPods(pods: readonly Pod[], claimant: Claimant): ClaimedPods {
  const owned: Pod[] = [];
  const adopted: Pod[] = [];
  const released: ClaimedPods['released'][number][] = [];
  for (const pod of pods) {
    const decision = decideClaim(pod, claimant);
    if (decision.kind === 'Adopt') adopted.push(pod);
    if (decision.kind === 'Release') released.push({ pod, ownerReferences: decision.ownerReferences });
    if (decision.kind === 'Claimed' || (claimant.isBeingDeleted && controllerOf(pod)?.uid === claimant.uid)) owned.push(pod);
  }
  return { owned, adopted, released };
}
