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
import { ApiError, unlessDeleted, type Client, type Clock } from '@kruise/kube';
import { customResourceDefinitions, milliseconds, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';

interface StoredCrd extends KubeObject {
  readonly spec: { readonly versions: readonly { readonly name: string; readonly storage: boolean }[] };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

export interface Migrated {
  readonly name: string;
  /** Objects that were written. */
  readonly objects: number;
  /** Why objects could not be written, a line for each; the CRD then keeps its stored versions. */
  readonly failures: readonly string[];
}

export interface MigrationParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const crdType = customResourceDefinitions as ResourceType<StoredCrd>;
const pageSize = 100;
const retryPause = milliseconds(2000);
/** Two minutes; a refusal may look like a webhook that does not answer. */
const mostTries = 60;

const versions = ['v1alpha1', 'v1beta1'] as const;
type Version = (typeof versions)[number];

/** The version that objects are stored in; undefined when there is nothing to do. */
function pendingVersion({ spec, status }: StoredCrd): Version | undefined {
  const storage = versions.find((version) => spec.versions.some(({ name, storage: stores }) => stores && name === version));
  const isPending = (status?.storedVersions ?? []).some((version) => version !== storage);
  return isPending ? storage : undefined;
}

/** While managers start their webhooks fail, and an object may be changed at the same time: both pass. */
const passes = (error: unknown): boolean =>
  !(error instanceof ApiError) || !['Invalid', 'Forbidden', 'BadRequest'].includes(error.failure.kind);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Tries until it is done, fails for good, or has failed for two minutes. */
async function insist<T>({ clock, signal }: MigrationParts, attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || tries === mostTries || !passes(error)) throw error;
      await clock.sleep(retryPause, signal);
    }
  }
}

async function* keysOf(parts: MigrationParts, type: ResourceType): AsyncGenerator<ObjectKey, void, void> {
  let position: string | undefined;
  do {
    const { items, metadata } = await insist(parts, () =>
      parts.client.list(type, { limit: pageSize, signal: parts.signal, ...(position === undefined ? {} : { continue: position }) }),
    );
    for (const { metadata: own } of items) yield { namespace: own.namespace ?? '', name: own.name };
    position = metadata.continue === '' ? undefined : metadata.continue;
  } while (position !== undefined);
}

/** An empty patch changes nothing; the server writes all the same when what is stored has another version. */
async function rewrite(parts: MigrationParts, type: ResourceType): Promise<Pick<Migrated, 'objects' | 'failures'>> {
  const { client, signal } = parts;
  const failures: string[] = [];
  let objects = 0;
  for await (const key of keysOf(parts, type)) {
    try {
      await insist(parts, () => unlessDeleted(client.patch(type, key, {}, { type: 'merge', signal })));
      objects++;
    } catch (error) {
      if (signal.aborted) throw error;
      failures.push(`${type.plural} ${key.namespace === '' ? '' : `${key.namespace}/`}${key.name}: ${messageOf(error)}`);
    }
  }
  return { objects, failures };
}

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
