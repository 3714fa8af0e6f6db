/** Objects of a namespace as the API server has them, for who judges a new one beside them: caches may not know the one that was made a moment ago. */
import { ApiError } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';
import type { LiveReads } from './handler-dependencies.ts';

export type ObjectsOfNamespace<T> =
  { readonly kind: 'Read'; readonly objects: readonly T[] } | { readonly kind: 'Failed'; readonly why: string };

export async function objectsOfNamespace<T extends KubeObject>(
  client: Pick<LiveReads, 'list'>,
  type: ResourceType<T>,
  namespace: string,
  signal: AbortSignal,
): Promise<ObjectsOfNamespace<T>> {
  try {
    const { items } = await client.list(type, { namespace, signal });
    return { kind: 'Read', objects: items };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'Failed', why: error.message };
    throw error;
  }
}
