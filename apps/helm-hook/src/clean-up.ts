/**
 * Objects that a manager has to clean up after carry a finalizer of ours. Deleted together with the manager they would stay for ever, and
 * their definitions with them; so they go before, while the manager is there. All of them would be deleted by the uninstall anyway.
 */
import { allKinds, resourceTypeOf, storedVersion, type KindDeclaration } from '@kruise/api';
import { isNotServed, unlessGone, type Client, type Clock } from '@kruise/kube';
import { keyOf, milliseconds, seconds, type KubeObject, type ResourceType } from '@kruise/objects';

const kinds = allKinds.filter(({ atUninstall }) => atUninstall?.kind === 'CleanUp');
const ours: ReadonlySet<string> = new Set(allKinds.flatMap(({ finalizer }) => finalizer ?? []));

/** What a manager that runs needs. */
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

/** Those that are held by a finalizer of ours; a kind without CRD has none. */
async function held({ client, signal }: CleanUpParts, type: ResourceType): Promise<readonly KubeObject[]> {
  try {
    return (await client.list(type, { signal })).items.filter(holdsOurs);
  } catch (error) {
    if (isNotServed(error)) return [];
    throw error;
  }
}

/** Nobody is there to do it: what is held is let go, for what it holds goes as well. */
async function letGo({ client, signal }: CleanUpParts, type: ResourceType, object: KubeObject): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  const kept = (object.metadata.finalizers ?? []).filter((finalizer) => !ours.has(finalizer));
  const patch = { metadata: { uid, resourceVersion, finalizers: kept } };
  await unlessGone(client.patch(type, keyOf(object), patch, { type: 'merge', signal }));
}

/**
 * Deletes what a manager must clean up after and waits until that is done; after 30 s, when no manager does it, takes the finalizers away.
 *
 * @returns names of what no manager cleaned up after
 */
export async function cleanUp(parts: CleanUpParts): Promise<readonly string[]> {
  const { client, clock, signal } = parts;
  const types = kinds.map(storedType);
  for (const type of types)
    for (const object of await held(parts, type)) {
      const { uid } = object.metadata;
      await unlessGone(client.delete(type, keyOf(object), { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) }));
    }
  const until = clock.monotonic() + patience;
  const forced: string[] = [];
  for (const type of types) {
    while (clock.monotonic() < until && (await held(parts, type)).length > 0) await clock.sleep(pollEvery, signal);
    for (const object of await held(parts, type)) {
      await letGo(parts, type, object);
      const { namespace = '', name } = object.metadata;
      forced.push(`${type.plural} ${namespace === '' ? '' : `${namespace}/`}${name}`);
    }
  }
  return forced;
}
