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
import { keyOf, type ResourceType } from '@kruise/objects';
import { crdType, readCrd, storageVersionOf, type StoredCrd, type Version } from './stored-crd.ts';
import { insist, writeEach, type MigrationParts, type Written } from './write-each.ts';

/** What was done for a CRD; it keeps its stored versions if there are failures. */
export interface Migrated extends Written {
  readonly name: string;
}

/** The version that objects are stored in; undefined when there is nothing to do. */
function pendingVersion(crd: StoredCrd): Version | undefined {
  const storage = storageVersionOf(crd);
  const isPending = (crd.status?.storedVersions ?? []).some((version) => version !== storage);
  return isPending ? storage : undefined;
}

/** An empty patch changes nothing; the server writes all the same when what is stored has another version. */
const rewrite = (parts: MigrationParts, type: ResourceType): Promise<Written> =>
  writeEach(parts, type, async (object) => {
    await parts.client.patch(type, keyOf(object), {}, { type: 'merge', signal: parts.signal });
    return true;
  });

async function migrateKind(parts: MigrationParts, kind: KindDeclaration): Promise<Migrated | undefined> {
  const { client, signal } = parts;
  const name = crdName(kind);
  const read = (): Promise<StoredCrd | undefined> => readCrd(parts, name);
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
