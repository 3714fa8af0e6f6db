/**
 * Brings the owners of claims in line with the retention policy, for every existing Pod in any state.
 *
 * The garbage collector deletes a claim with the Pod that owns it. So a Pod is deleted only when the store shows that it owns exactly those of its
 * claims that must be deleted with it. If an owner cannot be written, the Pod stays.
 * @see spec/statefulset.md 5.7
 */
import { isOwnedBy, memoizedList, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import type { Action } from '../snapshot/action.ts';
import { ordinalOf, type Arrangement, type FilledSlot } from '../snapshot/arrangement.ts';
import { claimsOf, claimsOfSlots, isClaimTerminating, lasting, wantedClaimOwner, wantedOwners, type ClaimOwner } from './claims.ts';
import type { Context, Snapshot } from '../snapshot/snapshot.ts';
import { claimTemplatesOf } from '../snapshot/strategy.ts';

export interface ClaimOwnersPlan {
  readonly actions: readonly Action[];
  /** Pods whose deletion would delete a claim that must stay, or leave one that must be deleted. */
  readonly undeletable: ReadonlySet<Pod>;
}

function setOwner(claim: PersistentVolumeClaim, pod: Pod, wanted: ClaimOwner, { set }: Snapshot): readonly Action[] {
  const held = claim.metadata.ownerReferences ?? [];
  const ownerReferences = wantedOwners(held, wanted, { set, pod });
  const because = `the retention policy requires ${wanted === 'Nobody' ? 'no owner' : `the ${wanted} as owner`}`;
  return ownerReferences === held ? [] : [{ kind: 'SetClaimOwners', claim, ownerReferences, pod, because }];
}

/** Whether a claim of a Pod with a slot has exactly the owner that it must have, as nearly every claim of every pass. */
const areOwned = memoizedList((claim: PersistentVolumeClaim | undefined, wanted: ClaimOwner, setUid: string): boolean => {
  if (claim === undefined || isClaimTerminating(claim)) return true;
  const owners = claim.metadata.ownerReferences ?? [];
  if (wanted === 'StatefulSet') return owners.length === 1 && owners[0]?.uid === setUid;
  return wanted === 'Nobody' && owners.length === 0;
});

/** Returns for each template, by slot, whether the owner of the claim is right. */
const settledSlots = ({ set, claims }: Snapshot, filled: readonly FilledSlot[], wanted: ClaimOwner): readonly (readonly boolean[])[] =>
  claimTemplatesOf(set).map((template) => areOwned(template, claimsOfSlots(set, template, filled, claims), wanted, set.metadata.uid ?? ''));

export function planClaimOwners(seen: Snapshot, { filled, condemned }: Arrangement, { gates }: Context): ClaimOwnersPlan {
  if (claimTemplatesOf(seen.set).length === 0 || !gates.StatefulSetAutoDeletePVC) return { actions: [], undeletable: new Set() };
  const actions: Action[] = [];
  const undeletable = new Set<Pod>();
  const lookAt = (pod: Pod, ordinal: number, isInRange: boolean): void => {
    const wanted = wantedClaimOwner(seen.set, isInRange, gates);
    if (wanted === 'Untouched') return;
    for (const { claim } of lasting(claimsOf(seen.set, ordinal, seen.claims))) {
      actions.push(...setOwner(claim, pod, wanted, seen));
      if (isOwnedBy(claim, pod.metadata.uid) !== (wanted === 'Pod')) undeletable.add(pod);
    }
  };
  const settled = settledSlots(seen, filled, wantedClaimOwner(seen.set, true, gates));
  for (const [index, { pod, ordinal }] of filled.entries()) if (settled.some((isSettled) => !isSettled[index])) lookAt(pod, ordinal, true);
  for (const pod of condemned) lookAt(pod, ordinalOf(seen.set, pod) ?? 0, false);
  return { actions, undeletable };
}
