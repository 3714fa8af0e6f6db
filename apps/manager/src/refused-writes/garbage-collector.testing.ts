/** Kubernetes' garbage collector: it deletes objects whose owners no longer exist. */
import type { FakeApi } from '@kruise/kube/testing';
import type { KubeObject, ResourceType } from '@kruise/objects';

/**
 * One pass over the objects of `types`. An object without owners is kept, as is one of which at least one owner exists.
 *
 * @param owners every kind that owns any of them
 */
export async function collectGarbage(api: FakeApi, types: readonly ResourceType[], owners: readonly ResourceType[]): Promise<void> {
  const uids = new Set([...types, ...owners].flatMap((type) => api.peekAll<KubeObject>(type).map(({ metadata }) => metadata.uid)));
  for (const type of types)
    for (const { metadata } of api.peekAll<KubeObject>(type)) {
      const references = metadata.ownerReferences ?? [];
      if (references.length === 0 || references.some(({ uid }) => uids.has(uid)) || metadata.deletionTimestamp !== undefined) continue;
      await api.delete(type, { namespace: metadata.namespace ?? '', name: metadata.name });
    }
}
