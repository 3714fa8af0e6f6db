/**
 * Which lists handlers read live, all of them. A live list costs the API server as much as is stored, each time that a user sends a write, so a
 * handler reads a cache (`HandlerDependencies.caches`) or one object (`client.get`). The client of handlers lists no other type than these.
 * @see docs/decisions/bounds-by-type.md
 */
import { sidecarSets } from '@kruise/api';
import type { ListOptions, ObjectList } from '@kruise/kube';
import { admissionLimits, controllerRevisions, persistentVolumeClaims, pods, type KubeObject, type ResourceType } from '@kruise/objects';

declare const isListedLive: unique symbol;

/** A type of this file: no other can be listed by a handler. */
export type LiveListType<T extends KubeObject = KubeObject> = ResourceType<T> & { readonly [isListedLive]: true };

const listedLive = <T extends KubeObject>(type: ResourceType<T>): LiveListType<T> => type as LiveListType<T>;

/** Only cluster administrators create them, and a script creates several within the delay of a cache: each has to see the others. */
export const liveSidecarSets = listedLive(sidecarSets);

/** Those with the label of one SidecarSet, in the manager's namespace, when the cache does not hold a revision that was written a moment ago. */
export const liveRevisions = listedLive(controllerRevisions);

/** Those of a namespace that is protected and deleted. No cache holds all Pods of the cluster in every replica. */
export const livePods = listedLive(pods);
export const liveClaims = listedLive(persistentVolumeClaims);

/** Objects of a CRD that is protected and deleted: of any type, which no cache can hold in advance. */
export const liveObjectsOf = (type: ResourceType): LiveListType => listedLive(type);

/** The bound of a page is not left to the client. */
export type LiveListOptions<T extends KubeObject> = ListOptions<T> & { readonly limit: number };

/** As `Client.list`, of which it is a part; a property, so that no client that lists any type can be made of it. */
export type ListLive = <T extends KubeObject>(type: LiveListType<T>, options: LiveListOptions<T>) => Promise<ObjectList<T>>;

/**
 * All objects, page by page.
 *
 * @throws ApiError what keeps it from knowing
 */
export async function allLive<T extends KubeObject>(
  type: LiveListType<T>,
  client: { readonly list: ListLive },
  options: Pick<ListOptions<T>, 'namespace' | 'labelSelector' | 'signal'>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const page = { ...options, limit: admissionLimits.liveListPage.value, ...(next === undefined ? {} : { continue: next }) };
    const { items, metadata } = await client.list(type, page);
    all.push(...items);
    next = metadata.continue;
  } while (next !== undefined && next !== '');
  return all;
}
