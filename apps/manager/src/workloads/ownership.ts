/** Writes of objects that belong to a workload. */
import { isFailure, unlessGone, type Client } from '@kruise/kube';
import { isOwnedBy, keyOf, type KubeObject, type OwnerReference, type ResourceType } from '@kruise/objects';

/** Creates an object that may exist already. @throws AlreadyExists when the name is taken by one of somebody else, or by one that is going */
export async function ensureOwned<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  { object, ownerUid }: { readonly object: T; readonly ownerUid: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.create(type, object, { signal });
  } catch (error) {
    if (!isFailure(error, 'AlreadyExists')) throw error;
    const holder = await client.get(type, keyOf(object), { signal });
    if (isOwnedBy(holder, ownerUid) && holder.metadata.deletionTimestamp === undefined) return;
    throw error;
  }
}

/** Gives the object these owners. They are a list that a merge patch replaces as a whole, on the version that was seen; one that is gone needs none. */
export async function setOwners(
  client: Client,
  type: ResourceType,
  { object, owners }: { readonly object: KubeObject; readonly owners: readonly OwnerReference[] },
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const patch = { metadata: { uid, resourceVersion, ownerReferences: owners } };
  await unlessGone(client.patch(type, keyOf(object), patch, { type: 'merge', signal }));
}
