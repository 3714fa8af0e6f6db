/** Who owns an object. Owners are told apart by uid alone; kinds are matched by group and kind, whatever the version. */
import { apiVersionOf, type KubeObject, type ObjectMeta, type OwnerReference, type ResourceType } from './kube-object.ts';

type Owned = { readonly metadata: Pick<ObjectMeta, 'ownerReferences'> };

/** The reference with `controller: true`, if any. */
export const controllerOf = (object: Owned): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

/** @param uid of the owner; an absent uid owns nothing */
export const isControlledBy = (object: Owned, uid: string | undefined): boolean => uid !== undefined && controllerOf(object)?.uid === uid;

/** Whether the object has any reference to the owner, controlling or not. */
export const isOwnedBy = (object: Owned, uid: string | undefined): boolean =>
  uid !== undefined && object.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;

/** The group of an apiVersion; '' for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Whether a reference is to this kind in any version: old Pods carry the version of their time. */
export const refersToKind = (owner: Pick<OwnerReference, 'apiVersion' | 'kind'>, type: Pick<ResourceType, 'group' | 'kind'>): boolean =>
  owner.kind === type.kind && groupOf(owner.apiVersion) === type.group;

/**
 * The reference that a controller puts on what it creates.
 *
 * @throws Error when the owner has no uid, since such a reference would let the garbage collector delete the dependent
 */
export function newControllerRef(owner: KubeObject, type: ResourceType): OwnerReference {
  const { name, uid } = owner.metadata;
  if (uid === undefined || uid === '') throw new Error(`${type.kind} ${name} has no uid`);
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Adds the reference, or puts it in the place of the one with the same uid. */
export function withOwner(owners: readonly OwnerReference[] | undefined, owner: OwnerReference): readonly OwnerReference[] {
  const list = owners ?? [];
  const at = list.findIndex(({ uid }) => uid === owner.uid);
  return at < 0 ? [...list, owner] : list.with(at, owner);
}

/** @returns the same list when the owner is not in it */
export function withoutOwner(owners: readonly OwnerReference[] | undefined, uid: string): readonly OwnerReference[] {
  const list = owners ?? [];
  return list.some((owner) => owner.uid === uid) ? list.filter((owner) => owner.uid !== uid) : list;
}
