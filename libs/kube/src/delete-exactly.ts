/** Deletes exactly the object that was seen, in any version of it or only in that one. */
import { keyOf, type KubeObject, type ResourceType } from '@kruise/objects';
import type { Client } from './client/client.ts';
import { unlessDeleted } from './unless-deleted.ts';

/**
 * Deletes this object and never another one with its name. An object that no longer exists counts as deleted.
 *
 * @param options as for `Client.delete`, `preconditions` in addition to the uid
 * @throws a Conflict when another object has the name by now
 */
export async function deleteExactly<T extends KubeObject>(
  client: Pick<Client, 'delete'>,
  type: ResourceType<T>,
  object: T,
  options: Parameters<Client['delete']>[2] = {},
): Promise<void> {
  const { uid } = object.metadata;
  const preconditions = { ...(uid === undefined ? {} : { uid }), ...options.preconditions };
  await unlessDeleted(client.delete(type, keyOf(object), { ...options, preconditions }));
}

/**
 * Deletes this object unless it changed since it was read. For deletions caused by something that its owner may change meanwhile, such as its time to
 * live.
 *
 * @throws a Conflict when it is another version by now, or another object
 */
export function deleteUnchanged<T extends KubeObject>(
  client: Pick<Client, 'delete'>,
  type: ResourceType<T>,
  object: T,
  options: Parameters<Client['delete']>[2] = {},
): Promise<void> {
  const { resourceVersion } = object.metadata;
  return deleteExactly(client, type, object, { ...options, preconditions: resourceVersion === undefined ? {} : { resourceVersion } });
}
