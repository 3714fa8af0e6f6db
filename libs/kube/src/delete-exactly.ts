/** Deleting the very object that was seen. */
import { keyOf, type KubeObject, type ResourceType } from '@kruise/objects';
import type { Client } from './client.ts';
import { unlessGone } from './unless-gone.ts';

/**
 * Deletes this object and never another one of its name; one that is gone is done with.
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
  await unlessGone(client.delete(type, keyOf(object), { ...options, preconditions }));
}
