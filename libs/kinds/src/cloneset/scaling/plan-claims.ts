/**
 * What happens to the claims of the CloneSet. Without reuse, a claim is deleted with the Pod that uses it; with reuse, all claims stay.
 * @see spec/cloneset.md 5.2 step 4
 */
import { isPodActive, memoizedList, newControllerRef, pods as podType, withoutOwner, withOwner, type Pod } from '@kruise/objects';
import type { Action } from '../pods/action.ts';
import { podNameOf } from '../pods/new-pod.ts';
import { instanceIdOf } from '../pods/pod-facts.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { reusesClaims } from '../snapshot/strategy.ts';

type Claim = Snapshot['claims'][number];

export interface ClaimPlan {
  /** Claims that stay the CloneSet's own, by name. */
  readonly kept: readonly Claim[];
  readonly actions: readonly Action[];
}

/** The claim belongs to the Pod from now on and is deleted with it. */
function handOver(claim: Claim, to: Pod, { cloneSet }: Snapshot): Action {
  const others = withoutOwner(claim.metadata.ownerReferences, cloneSet.metadata.uid ?? '');
  const { name } = to.metadata;
  const because = isPodActive(to) ? `Pod ${name} uses it and no longer belongs to the CloneSet` : `Pod ${name} has ended`;
  return { kind: 'HandOverClaim', claim, ownerReferences: withOwner(others, newControllerRef(to, podType)), because };
}

const idsOfPods = memoizedList((pod: Pod): string => instanceIdOf(pod));
const idsOfClaims = memoizedList((claim: Claim): string => instanceIdOf(claim));

/**
 * A claim of a counted Pod stays. One that any other Pod has, or mounts, is handed over to that Pod: it has ended, was released, or lost the label
 * that ties it to the claim. Only a claim without any Pod is deleted.
 *
 * @param owned the Pods that count: active and claimed
 * @param isCreating whether Pods are missing: claims that were made for one whose creation failed wait for the next try
 */
export function planClaims(seen: Snapshot, owned: readonly Pod[], isCreating: boolean): ClaimPlan {
  const { cloneSet, claims } = seen;
  if (claims.length === 0 || reusesClaims(cloneSet)) return { kept: claims, actions: [] };
  const [claimIds, podIds] = [idsOfClaims(cloneSet.metadata, claims), idsOfPods(cloneSet.metadata, owned)];
  if (areInOrder(claimIds, podIds)) return { kept: claims, actions: [] };
  const counted = new Set(podIds);
  if (claimIds.every((id) => counted.has(id))) return { kept: claims, actions: [] };
  return planUncounted(seen, owned, { counted, isCreating });
}

/** Returns whether all ids are among the others in the same order, as those of a list of claims and a list of Pods by name are; needs no set. */
function areInOrder(ids: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const id of ids) {
    while (at < others.length && others[at] !== id) at++;
    if (at === others.length) return false;
  }
  return true;
}

/** What decides about claims besides the snapshot. */
interface Counting {
  /** Instance ids of the Pods that count. */
  readonly counted: ReadonlySet<string>;
  readonly isCreating: boolean;
}

function planUncounted(seen: Snapshot, owned: readonly Pod[], { counted, isCreating }: Counting): ClaimPlan {
  const { cloneSet, pods, claims, mounts, refused } = seen;
  const isCounted = new Set(owned);
  const byId = Map.groupBy(pods, instanceIdOf);
  const kept: Claim[] = [];
  const actions: Action[] = [];
  for (const claim of claims) {
    const id = instanceIdOf(claim);
    if (counted.has(id)) {
      kept.push(claim);
      continue;
    }
    const users = [...(byId.get(id) ?? []), ...(mounts.get(claim.metadata.name) ?? [])];
    const user = users.find(isPodActive) ?? users[0];
    if (users.some((pod) => isCounted.has(pod))) kept.push(claim);
    else if (user !== undefined) actions.push(handOver(claim, user, seen));
    else if (isCreating && refused.has(id)) kept.push(claim);
    else
      actions.push({
        kind: 'DeleteClaim',
        claim,
        podName: podNameOf(cloneSet, id),
        because: 'its Pod no longer exists and claims are not reused',
      });
  }
  return { kept, actions };
}
