/**
 * Rewrites objects that etcd stores in an older version, and removes that version from `status.storedVersions` of the CRD. Only then may a
 * later release stop serving the version.
 *
 *   for each CRD of ours: storedVersions is more than the storage version? -> write each object without a change -> shorten storedVersions
 *
 * Every step may run twice. If an object could not be written, its CRD keeps `storedVersions`.
 * @see spec/helm-chart.md 12
 */
import { allKinds, crdName, resourceTypeOf, type KindDeclaration } from '@kruise/api';
import { unlessDeleted } from '@kruise/kube';
import { customResourceDefinitions, type KubeObject, type ResourceType } from '@kruise/objects';
import { insist, writeEach, type MigrationParts, type Written } from './write-each.ts';

interface StoredCrd extends KubeObject {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

/** What was done for a CRD; it keeps its stored versions if there are failures. */
export interface Migrated extends Written {
  readonly name: string;
}

const crdType = customResourceDefinitions as ResourceType<StoredCrd>;
const versions = ['v1alpha1', 'v1beta1'] as const;
type Version = (typeof versions)[number];

/** The version that objects are stored in; undefined when there is nothing to do. */
function pendingVersion({ spec, status }: StoredCrd): Version | undefined {
  const storage = versions.find((version) => spec.versions.some(({ name, storage: stores }) => stores && name === version));
  const isPending = (status?.storedVersions ?? []).some((version) => version !== storage);
  return isPending ? storage : undefined;
}

/** An empty patch changes nothing; the server writes all the same when what is stored has another version. */
const rewrite = (parts: MigrationParts, type: ResourceType): Promise<Written> =>
  writeEach(parts, type, async ({ metadata }) => {
    const key = { namespace: metadata.namespace ?? '', name: metadata.name };
    await parts.client.patch(type, key, {}, { type: 'merge', signal: parts.signal });
    return true;
  });

async function migrateKind(parts: MigrationParts, kind: KindDeclaration): Promise<Migrated | undefined> {
  const { client, signal } = parts;
  const name = crdName(kind);
  const read = (): Promise<StoredCrd | undefined> => unlessDeleted(client.get(crdType, { namespace: '', name }, { signal }));
  const version = await insist(parts, read).then((crd) => (crd === undefined ? undefined : pendingVersion(crd)));
  if (version === undefined) return undefined;
  const { objects, failures } = await rewrite(parts, resourceTypeOf(kind, version));
  if (failures.length > 0) return { name, objects, failures };
  await insist(parts, async () => {
    const crd = await read();
    if (crd === undefined || pendingVersion(crd) !== version) return;
    await client.updateStatus(crdType, { ...crd, status: { ...crd.status, storedVersions: [version] } }, { signal });
  });
  return { name, objects, failures };
}

/**
 * @returns what was done for each CRD that had something to do
 * @throws ApiError when the signal aborted first, or the cluster refuses to be asked
 */
export async function migrateStorage(parts: MigrationParts): Promise<readonly Migrated[]> {
  const done: Migrated[] = [];
  for (const kind of allKinds) {
    const migrated = await migrateKind(parts, kind);
    if (migrated !== undefined) done.push(migrated);
  }
  return done;
}
