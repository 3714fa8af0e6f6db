/** Writes of objects that belong to a workload. */
import { ApiError, isFailure, unlessDeleted, type Client } from '@kruise/kube';
import { isOwnedBy, keyOf, newControllerRef, withOwner, type KubeObject, type OwnerReference, type ResourceType } from '@kruise/objects';

/**
 * Creates an object that may exist already.
 *
 * @returns whether this call created it
 * @throws AlreadyExists when an object of another owner, or a terminating one, has the name
 */
export async function ensureOwned<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  { object, ownerUid }: { readonly object: T; readonly ownerUid: string | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.create(type, object, { signal });
    return true;
  } catch (error) {
    if (!isFailure(error, 'AlreadyExists')) throw error;
    const holder = await client.get(type, keyOf(object), { signal });
    if (isOwnedBy(holder, ownerUid) && holder.metadata.deletionTimestamp === undefined) return false;
    throw error;
  }
}

/** Gives the object these owners. A merge patch replaces the whole list, so it is written on the version that was read; a deleted object needs none. */
export async function setOwners(
  client: Client,
  type: ResourceType,
  { object, owners }: { readonly object: KubeObject; readonly owners: readonly OwnerReference[] },
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const patch = { metadata: { uid, resourceVersion, ownerReferences: owners } };
  await unlessDeleted(client.patch(type, keyOf(object), patch, { type: 'merge', signal }));
}

/** @throws Error unless the workload is the one that the plan was made for, and stays */
async function assertStays<T extends KubeObject>(client: Client, type: ResourceType<T>, workload: T, signal: AbortSignal): Promise<void> {
  const { name, uid } = workload.metadata;
  const held = await unlessDeleted(client.get(type, keyOf(workload), { signal }));
  if (held === undefined || held.metadata.uid !== uid || held.metadata.deletionTimestamp !== undefined)
    throw new ApiError(`${type.kind} ${name} does not exist or is being deleted: it adopts nothing`, { kind: 'Conflict' });
}

/**
 * Makes the workload the controller of an object without one. Reads the workload first: one that is deleted or being deleted adopts nothing.
 *
 * @see spec/inplace-update.md 12
 */
export async function adopt<T extends KubeObject, W extends KubeObject>(
  client: Client,
  { type, object }: { readonly type: ResourceType<T>; readonly object: T },
  { type: kind, object: workload }: { readonly type: ResourceType<W>; readonly object: W },
  signal: AbortSignal,
): Promise<void> {
  await assertStays(client, kind, workload, signal);
  const owners = withOwner(object.metadata.ownerReferences, newControllerRef(workload, kind));
  await setOwners(client, type, { object, owners }, signal);
}
