/**
 * Deletes the objects whose finalizer only a manager removes. If the uninstall deleted them together with the manager, they and their CRDs
 * would remain indefinitely, so this hook deletes them first, while the manager is running. The uninstall would delete all of them anyway.
 */
import { allKinds, resourceTypeOf, storedVersion, type KindDeclaration } from '@kruise/api';
import { isNotServed, unlessDeleted, type Client, type Clock } from '@kruise/kube';
import { keyOf, milliseconds, seconds, type KubeObject, type ResourceType } from '@kruise/objects';

const kinds = allKinds.filter(({ atUninstall }) => atUninstall?.kind === 'CleanUp');
const ours: ReadonlySet<string> = new Set(allKinds.flatMap(({ finalizer }) => finalizer ?? []));

/** How long a running manager takes to remove its finalizers. */
const patience = seconds(30);
const pollEvery = milliseconds(500);

export interface CleanUpParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** In the version that is stored, so that no manager is needed to read it. */
const storedType = (declaration: KindDeclaration): ResourceType => resourceTypeOf(declaration, storedVersion(declaration));

const holdsOurs = ({ metadata }: KubeObject): boolean => (metadata.finalizers ?? []).some((finalizer) => ours.has(finalizer));

const nameOf = (type: ResourceType, { metadata: { namespace = '', name } }: KubeObject): string =>
  `${type.plural} ${namespace === '' ? '' : `${namespace}/`}${name}`;

/** Returns the objects that have a finalizer of ours; none if the CRD is not installed. */
async function held({ client, signal }: CleanUpParts, type: ResourceType): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(type, { part: 'Metadata', signal })).items.filter(holdsOurs);
  } catch (error) {
    if (isNotServed(error)) return [];
    throw error;
  }
}

/** Removes our finalizers when no manager is running: the uninstall also deletes what they protect. */
async function letGo({ client, signal }: CleanUpParts, type: ResourceType, object: KubeObject): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const kept = (object.metadata.finalizers ?? []).filter((finalizer) => !ours.has(finalizer));
  const patch = { metadata: { uid, resourceVersion, finalizers: kept } };
  await unlessDeleted(client.patch(type, keyOf(object), patch, { type: 'merge', signal }));
}

/** What became of the objects. */
export interface CleanedUp {
  /** Names of those that no manager cleaned up after, and that this hook did. */
  readonly forced: readonly string[];
  /** Why finalizers could not be removed, a line for each object: without a manager, its webhooks refuse every change. */
  readonly failures: readonly string[];
}

/** Deletes what a manager must clean up after and waits until that is done; after 30 s, when no manager does it, removes the finalizers. */
export async function cleanUp(parts: CleanUpParts): Promise<CleanedUp> {
  const { client, clock, signal } = parts;
  const types = kinds.map(storedType);
  for (const type of types)
    for (const object of await held(parts, type)) {
      const { uid } = object.metadata;
      await unlessDeleted(client.delete(type, keyOf(object), { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) }));
    }
  const until = clock.monotonic() + patience;
  const [forced, failures]: [string[], string[]] = [[], []];
  for (const type of types) {
    while (clock.monotonic() < until && (await held(parts, type)).length > 0) await clock.sleep(pollEvery, signal);
    for (const object of await held(parts, type)) {
      const name = nameOf(type, object);
      await letGo(parts, type, object).then(
        () => forced.push(name),
        (error: unknown) => {
          if (signal.aborted) throw error;
          failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
        },
      );
    }
  }
  return { forced, failures };
}

/** Returns the names of the objects that cannot be deleted without a manager. */
export async function heldObjects(parts: CleanUpParts): Promise<readonly string[]> {
  const names: string[] = [];
  for (const type of kinds.map(storedType)) for (const object of await held(parts, type)) names.push(nameOf(type, object));
  return names;
}
