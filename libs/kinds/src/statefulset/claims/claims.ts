/**
 * The claims of Pods: their names, who owns them, and whether they follow their templates.
 * @see spec/statefulset.md 5.3.3, 5.7, 5.10
 */
import { statefulSets, type Gates, type StatefulSet } from '@kruise/api';
import {
  apiVersionOf,
  compareQuantities,
  deepEqual,
  memoizedList,
  parseQuantity,
  pods as podType,
  withOwner,
  withoutOwner,
  type OwnerReference,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimTemplate,
  type Pod,
} from '@kruise/objects';
import { newClaim } from '@kruise/workloads';
import type { FilledSlot } from '../snapshot/arrangement.ts';
import { claimTemplatesOf } from '../snapshot/strategy.ts';
import type { ByName } from '../snapshot/snapshot.ts';

export const claimNameOf = ({ metadata }: PersistentVolumeClaimTemplate, set: Pick<StatefulSet, 'metadata'>, ordinal: number): string =>
  `${metadata.name}-${set.metadata.name}-${ordinal}`;

/** A claim template with the stored claim of one Pod. */
export interface ClaimOfPod {
  readonly template: PersistentVolumeClaimTemplate;
  readonly name: string;
  /** Terminating ones included; absent while there is none. */
  readonly claim?: PersistentVolumeClaim;
}

/** What one Pod claims, in the order of the templates. */
export const claimsOf = (set: StatefulSet, ordinal: number, held: ByName<PersistentVolumeClaim>): readonly ClaimOfPod[] =>
  claimTemplatesOf(set).map((template) => {
    const name = claimNameOf(template, set, ordinal);
    const claim = held.get(name);
    return { template, name, ...(claim === undefined ? {} : { claim }) };
  });

type Claim = PersistentVolumeClaim | undefined;

const namesOf = memoizedList(
  ({ ordinal }: FilledSlot, template: PersistentVolumeClaimTemplate, metadata: StatefulSet['metadata']): string =>
    claimNameOf(template, { metadata }, ordinal),
);

/** The stored claim of one template for each slot, terminating ones included; undefined where there is none. */
export const claimsOfSlots = (
  { metadata }: StatefulSet,
  template: PersistentVolumeClaimTemplate,
  filled: readonly FilledSlot[],
  held: ByName<PersistentVolumeClaim>,
): readonly Claim[] => namesOf(template, filled, template, metadata).map((name) => held.get(name));

export const isClaimTerminating = (claim: PersistentVolumeClaim | undefined): boolean => claim?.metadata.deletionTimestamp !== undefined;

/** The owner that claims must have. `Untouched`: the manager does not set owners. */
export type ClaimOwner = 'Nobody' | 'StatefulSet' | 'Pod' | 'Untouched';

/** @param isInRange whether the claim's Pod has a slot */
export function wantedClaimOwner({ spec }: StatefulSet, isInRange: boolean, gates: Pick<Gates, 'StatefulSetAutoDeletePVC'>): ClaimOwner {
  if (!gates.StatefulSetAutoDeletePVC) return 'Untouched';
  const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (!isInRange && whenScaled === 'Delete') return 'Pod';
  return whenDeleted === 'Delete' ? 'StatefulSet' : 'Nobody';
}

/** Whether a claim is deleted with a Pod that leaves its slot. */
export const isDeletedWithPod = ({ spec }: StatefulSet, gates: Pick<Gates, 'StatefulSetAutoDeletePVC'>): boolean =>
  gates.StatefulSetAutoDeletePVC && spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete';

/** References to the StatefulSet and to a Pod of it, neither controlling nor blocking. */
const plainReference = (object: { readonly metadata: Pod['metadata'] }, type: typeof podType | typeof statefulSets): OwnerReference => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name: object.metadata.name,
  uid: object.metadata.uid ?? '',
});

/**
 * The owners that a claim is to have; those of others stay.
 *
 * @param pod undefined before there is one: it owns nothing then
 * @returns the list that it has when that is right
 */
export function wantedOwners(
  held: readonly OwnerReference[],
  wanted: ClaimOwner,
  { set, pod }: { readonly set: StatefulSet; readonly pod?: Pod },
): readonly OwnerReference[] {
  if (wanted === 'Untouched') return held;
  const setUid = set.metadata.uid ?? '';
  const podUid = pod?.metadata.uid ?? '';
  const has = (uid: string): boolean => held.some((owner) => owner.uid === uid);
  const withoutSet = wanted === 'StatefulSet' ? held : withoutOwner(held, setUid);
  const kept = wanted === 'Pod' ? withoutSet : withoutOwner(withoutSet, podUid);
  if (wanted === 'StatefulSet') return has(setUid) ? kept : withOwner(kept, plainReference(set, statefulSets));
  return wanted === 'Pod' && pod !== undefined && !has(podUid) ? withOwner(kept, plainReference(pod, podType)) : kept;
}

/** Left by a former Pod of this name, with which it is about to go: a new Pod that used it would lose it. @see spec/statefulset.md 5.4 step 2 */
export const isStale = ({ metadata }: PersistentVolumeClaim, podName: string, podUid: string | undefined): boolean =>
  (metadata.ownerReferences ?? []).some(
    (owner) => owner.kind === podType.kind && owner.apiVersion === apiVersionOf(podType) && owner.name === podName && owner.uid !== podUid,
  );

/** A claim as it is created. Its owner is that of a Pod in its slot. */
export const newClaimOf = (
  { template, name }: ClaimOfPod,
  set: StatefulSet,
  gates: Pick<Gates, 'StatefulSetAutoDeletePVC'>,
): PersistentVolumeClaim =>
  newClaim(template, {
    name,
    namespace: set.metadata.namespace ?? '',
    labels: set.spec.selector.matchLabels ?? {},
    owners: wantedOwners([], wantedClaimOwner(set, true, gates), { set }),
  });

/** `a` >= `b`; a size that is absent or cannot be read is the smallest of all. */
function isAtLeast(a: string | undefined, b: string | undefined): boolean {
  const wanted = b === undefined ? undefined : parseQuantity(b);
  if (wanted === undefined) return true;
  const held = a === undefined ? undefined : parseQuantity(a);
  return held !== undefined && compareQuantities(held, wanted) >= 0;
}

export const requestOf = ({ spec }: PersistentVolumeClaim): string | undefined => spec?.resources?.requests?.['storage'];
export const capacityOf = ({ status }: PersistentVolumeClaim): string | undefined => status?.capacity?.['storage'];

/** Same class (where both name one) and same access modes: all that could not be changed anyway. */
export function isSameKind(claim: PersistentVolumeClaim, template: PersistentVolumeClaimTemplate): boolean {
  const [held, wanted] = [claim.spec?.storageClassName, template.spec?.storageClassName];
  const isSameClass = held === undefined || wanted === undefined || held === wanted;
  return isSameClass && deepEqual(claim.spec?.accessModes ?? [], template.spec?.accessModes ?? []);
}

/** Requests what the template requests, or more. */
export const isMatched = (claim: PersistentVolumeClaim, template: PersistentVolumeClaimTemplate): boolean =>
  isSameKind(claim, template) && isAtLeast(requestOf(claim), requestOf(template));

/** Has what it requests. */
export const hasItsSize = (claim: PersistentVolumeClaim): boolean => isAtLeast(capacityOf(claim), requestOf(claim));

/** Has what it requests, and could not be of another kind. */
export const isClaimReady = (claim: PersistentVolumeClaim, template: PersistentVolumeClaimTemplate): boolean =>
  isSameKind(claim, template) && hasItsSize(claim);

/** Resized as far as possible while the Pod runs: a file system that waits for a restart of its Pod counts as resized. */
export const isResized = (claim: PersistentVolumeClaim, template: PersistentVolumeClaimTemplate): boolean =>
  isMatched(claim, template) &&
  (hasItsSize(claim) ||
    (claim.status?.conditions ?? []).some(({ type, status }) => type === 'FileSystemResizePending' && status === 'True'));

/** Those that are there and stay, with their templates. */
export const lasting = (claims: readonly ClaimOfPod[]): readonly (ClaimOfPod & { readonly claim: PersistentVolumeClaim })[] =>
  claims.flatMap((one) => (one.claim === undefined || isClaimTerminating(one.claim) ? [] : [{ ...one, claim: one.claim }]));
