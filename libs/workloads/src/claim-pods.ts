/** Which of the Pods that an index brought up are a workload's. @see spec/inplace-update.md 12 */
import { controllerOf, type OwnerReference, type Pod } from '@kruise/objects';
import { decideClaim, type Claimant } from '@kruise/pods';

export interface ClaimedPods {
  /** Those that it controls and that it selects; while it is being deleted all that it controls. In the order given. */
  readonly owned: readonly Pod[];
  /** Those that nobody controls and that it selects: they become its own. */
  readonly adopted: readonly Pod[];
  /** Those that it controls and no longer selects, with the owners that are left to them. */
  readonly released: readonly { readonly pod: Pod; readonly ownerReferences: readonly OwnerReference[] }[];
}

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
