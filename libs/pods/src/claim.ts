/** Decides the ownership of an object that a workload's selector or owner index returned. @see spec/inplace-update.md 12 */
import { type KubeObject, type OwnerReference, controllerOf } from '@kruise/objects';

/** The workload that may own the object, as far as claiming depends on it. */
export interface Claimant {
  readonly uid: string;
  readonly isBeingDeleted: boolean;
  /** Returns whether the selector (and filters of the kind) match the object. */
  readonly selects: (object: KubeObject) => boolean;
}

/** The decision about an object that a selector or owner index returned. */
export type ClaimDecision =
  | { readonly kind: 'Claimed' }
  /** Owned by another controller, or without an owner and not selected. */
  | { readonly kind: 'Ignored'; readonly why: string }
  /** Owned by reference, but the selector no longer matches: write these references with an update. NotFound is success. */
  | { readonly kind: 'Release'; readonly ownerReferences: readonly OwnerReference[] }
  /** Without an owner and selected: after a fresh read of the workload (same UID, not being deleted) add the controller reference. */
  | { readonly kind: 'Adopt' };

/** Returns the decision for one object. Terminating objects of the workload stay claimed. */
export function decideClaim(object: KubeObject, claimant: Claimant): ClaimDecision {
  const controller = controllerOf(object);
  if (controller !== undefined && controller.uid !== claimant.uid) return { kind: 'Ignored', why: 'it has another controller' };
  const selected = claimant.selects(object);
  if (controller !== undefined) return decideOwned(object, claimant, selected);
  if (!selected) return { kind: 'Ignored', why: 'the selector does not match' };
  if (claimant.isBeingDeleted) return { kind: 'Ignored', why: 'the workload is being deleted' };
  return object.metadata.deletionTimestamp === undefined ? { kind: 'Adopt' } : { kind: 'Ignored', why: 'it is being deleted' };
}

function decideOwned(object: KubeObject, claimant: Claimant, selected: boolean): ClaimDecision {
  if (selected) return { kind: 'Claimed' };
  if (claimant.isBeingDeleted) return { kind: 'Ignored', why: 'the workload is being deleted' };
  return { kind: 'Release', ownerReferences: (object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== claimant.uid) };
}
