/** Other PersistentPodStates of a namespace, as the API server has them: caches may not know the one that was made a moment ago. */
import { persistentPodStates, type PersistentPodState } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import type { LiveReads } from '../../module/handler-dependencies.ts';

export type OtherStates =
  { readonly kind: 'Read'; readonly states: readonly PersistentPodState[] } | { readonly kind: 'Failed'; readonly why: string };

export async function statesOfNamespace(client: LiveReads, namespace: string, signal: AbortSignal): Promise<OtherStates> {
  try {
    const { items } = await client.list(persistentPodStates, { namespace, signal });
    return { kind: 'Read', states: items };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'Failed', why: error.message };
    throw error;
  }
}
