/** Kubernetes' garbage collector: it deletes objects whose owners no longer exist. */
import type { FakeApi } from '@kruise/kube/testing';
import type { KubeObject, ResourceType } from '@kruise/objects';

/** The lists that the last pass found nothing to delete in. */
const clean = new WeakMap<FakeApi, readonly (readonly KubeObject[])[]>();

/**
 * One pass over the objects of `types`. An object without owners is kept, as is one of which at least one owner exists.
 *
 * @param owners every kind that owns any of them
 */
export async function collectGarbage(api: FakeApi, types: readonly ResourceType[], owners: readonly ResourceType[]): Promise<void> {
  const lists = [...types, ...owners].map((type) => api.peekAll<KubeObject>(type));
  const before = clean.get(api);
  if (before?.length === lists.length && lists.every((list, index) => list === before[index])) return;
  clean.set(api, lists);
  const uids = new Set(lists.flatMap((list) => list.map(({ metadata }) => metadata.uid)));
  for (const type of types)
    for (const { metadata } of api.peekAll<KubeObject>(type)) {
      const references = metadata.ownerReferences ?? [];
      if (references.length === 0 || references.some(({ uid }) => uids.has(uid)) || metadata.deletionTimestamp !== undefined) continue;
      await api.delete(type, { namespace: metadata.namespace ?? '', name: metadata.name });
    }
}
