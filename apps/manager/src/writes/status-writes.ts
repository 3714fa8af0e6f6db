/** Writes of statuses by passes that have written their object before: a finalizer, or a status that others rely on. */
import { writeStatus, type Client, type StoreReader } from '@kruise/kube';
import { deepEqual, keyOf, semanticEqual, type KubeObject, type ResourceType } from '@kruise/objects';

export interface WithStatus extends KubeObject {
  readonly status?: object;
}

/**
 * The object as the pass's own writes of it have left it, to write a status on that was made from `seen`: one whose status is another by now, and
 * another object of the name, are not it.
 */
export function newestOf<T extends WithStatus>(store: Pick<StoreReader<T>, 'get'>, seen: T): T {
  const held = store.get(keyOf(seen));
  return held !== undefined && held.metadata.uid === seen.metadata.uid && deepEqual(held.status, seen.status) ? held : seen;
}

/**
 * On the object as its own writes have left it, if the status says anything else.
 *
 * @returns the written object; undefined if it is deleted
 * @throws what the API server refused; a Conflict when another client has written another status meanwhile, or another object has the name
 */
export async function writeNewestStatus<T extends WithStatus>(
  type: ResourceType<T>,
  { object: seen, status }: { readonly object: T; readonly status: NonNullable<T['status']> },
  { client, store }: { readonly client: Client; readonly store: Pick<StoreReader<T>, 'get'> },
  signal: AbortSignal,
): Promise<T | undefined> {
  const object = newestOf(store, seen);
  return semanticEqual(object.status, status) ? object : writeStatus(client, type, { object, status, how: 'Replace' }, signal);
}
