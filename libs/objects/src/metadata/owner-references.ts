/** Owners of an object. Owners are distinguished only by uid; kinds are matched by group and kind, in any version. */
import { apiVersionOf, type KubeObject, type ObjectMeta, type OwnerReference, type ResourceType } from './kube-object.ts';

type Owned = { readonly metadata: Pick<ObjectMeta, 'ownerReferences'> };

/** Returns the reference with `controller: true`, if any. */
export const controllerOf = (object: Owned): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

/** Returns whether the owner controls the object. @param uid of the owner; an absent uid owns nothing */
export const isControlledBy = (object: Owned, uid: string | undefined): boolean => uid !== undefined && controllerOf(object)?.uid === uid;

/** Returns whether the object has any reference to the owner, controlling or not. */
export const isOwnedBy = (object: Owned, uid: string | undefined): boolean =>
  uid !== undefined && object.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;

/** Returns the group of an apiVersion; '' for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Returns whether a reference is to this kind in any version: old Pods contain the version of their creation. */
export const refersToKind = (owner: Pick<OwnerReference, 'apiVersion' | 'kind'>, type: Pick<ResourceType, 'group' | 'kind'>): boolean =>
  owner.kind === type.kind && groupOf(owner.apiVersion) === type.group;

/**
 * Returns the reference that a controller puts on objects that it creates.
 *
 * @throws Error when the owner has no uid, because such a reference would let the garbage collector delete the dependent
 */
export function newControllerRef(owner: KubeObject, type: ResourceType): OwnerReference {
  const { name, uid } = owner.metadata;
  if (uid === undefined || uid === '') throw new Error(`${type.kind} ${name} has no uid`);
  return { apiVersion: apiVersionOf(type), kind: type.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Adds the reference, or replaces the one with the same uid. */
export function withOwner(owners: readonly OwnerReference[] | undefined, owner: OwnerReference): readonly OwnerReference[] {
  const list = owners ?? [];
  const at = list.findIndex(({ uid }) => uid === owner.uid);
  return at < 0 ? [...list, owner] : list.with(at, owner);
}

/** Removes a reference. @returns the same list when it does not contain the owner */
export function withoutOwner(owners: readonly OwnerReference[] | undefined, uid: string): readonly OwnerReference[] {
  const list = owners ?? [];
  return list.some((owner) => owner.uid === uid) ? list.filter((owner) => owner.uid !== uid) : list;
}
