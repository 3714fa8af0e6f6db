/** Writes of statuses by passes that have written their object before: a finalizer, or a status that others rely on. */
import { writeStatus, type Client, type StoreReader } from '@kruise/kube';
import { keyOf, semanticEqual, type KubeObject, type ResourceType } from '@kruise/objects';

interface WithStatus extends KubeObject {
  readonly status?: object;
}

/**
 * On the object as its own writes have left it, if the status says anything else.
 *
 * @throws what the API server refused; a Conflict when somebody wrote meanwhile
 */
export async function writeNewestStatus<T extends WithStatus>(
  type: ResourceType<T>,
  { object: seen, status }: { readonly object: T; readonly status: NonNullable<T['status']> },
  { client, store }: { readonly client: Client; readonly store: StoreReader<T> },
  signal: AbortSignal,
): Promise<void> {
  const object = store.get(keyOf(seen)) ?? seen;
  if (!semanticEqual(object.status, status)) await writeStatus(client, type, { object, status, how: 'Replace' }, signal);
}
