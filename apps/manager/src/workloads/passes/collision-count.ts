/** `status.collisionCount`: how often the name of a new revision was taken. The next hash starts from it. @see spec/inplace-update.md 3.3 */
import type { Client } from '@kruise/kube';
import { keyOf, type KubeObject, type ResourceType } from '@kruise/objects';

interface Counting extends KubeObject {
  readonly status?: { readonly collisionCount?: number };
}

/**
 * Writes the count when it grew, also where the pass ends right after: without it the same names would be tried again. Never into another object
 * of the name.
 *
 * @param required counters without which the API server refuses a first status
 * @returns the object as it is then
 */
export async function rememberCollisions<T extends Counting>(
  client: Client,
  type: ResourceType<T>,
  { object, collisionCount, required }: { readonly object: T; readonly collisionCount: number; readonly required: object },
  signal: AbortSignal,
): Promise<T> {
  if (collisionCount <= (object.status?.collisionCount ?? 0)) return object;
  const status = object.status === undefined ? { ...required, collisionCount } : { collisionCount };
  return client.patch(
    type,
    keyOf(object),
    { metadata: { uid: object.metadata.uid }, status },
    { type: 'merge', subresource: 'status', signal },
  );
}
