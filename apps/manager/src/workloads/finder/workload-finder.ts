/**
 * Finds the workload that a reference names, and its Pods, for all callers that do not know the kind of the workload.
 *
 * A kind is cached from the first reference to it, never before. Objects that the cache does not contain (yet) are read from the
 * API server, and so are all other kinds.
 * @see spec/podunavailablebudget.md 10
 */
import { cloneSets, daemonSets, statefulSets, type Gates } from '@kruise/api';
import { ApiError, isFailure, unlessDeleted, type Client, type Clock, type StoreReader } from '@kruise/kube';
import {
  apiVersionOf,
  controllerOf,
  isControlledBy,
  isPathSegmentName,
  isPodActive,
  jobs,
  pods,
  refersToKind,
  type KubeObject,
  type ObjectKey,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import {
  byController,
  byOwner,
  bareObject,
  daemonSetOf,
  groupKindOf,
  isSameKind,
  jobOf,
  replicationControllerOf,
  scaledObject,
  statefulSetOf,
  whiteListedObject,
  workloadOf,
  type FoundWorkload,
  type GroupKind,
  type WorkloadReference,
  listedKind,
  type WhiteListReading,
  builtInDaemonSets,
  builtInStatefulSets,
  deployments,
  replicaSets,
  replicationControllers,
} from '@kruise/workloads';
import { asHeld, type Caches } from '../../caches/caches.ts';
import type { Installed } from '../../process/discovery.ts';
import { KindMapper, UnknownKind, type MappedKind } from './kind-mapper.ts';

/** The kinds that number their Pods, beside those of group `apps` and ours. */
export interface ListedKinds {
  readonly reading: WhiteListReading;
  storeOf(wanted: GroupKind): StoreReader | undefined;
}

/** What is read of one kind, and how it is understood. */
interface KnownKind {
  readonly type: ResourceType;
  readonly understood: (object: KubeObject, apiVersion: string, kind: string) => FoundWorkload;
}

export interface FinderOptions {
  readonly client: Client;
  readonly caches: Caches;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly installed: Installed;
  readonly gates: Pick<Gates, 'StatefulSetStartOrdinal'>;
  readonly listed: ListedKinds;
  /** Shared by all who ask which resource a kind is served as. */
  readonly mapper?: KindMapper;
  /**
   * Whether kinds that are not known are read as objects, and their Scale, where it can be read, besides: for who looks into the object. Through
   * their Scale alone when absent.
   */
  readonly readsObjects?: boolean;
}

/** Which Pods of a workload are meant. */
export interface PodChoice {
  /** Only Pods that are neither finished nor terminating. */
  readonly active: boolean;
  /** Also the Pods of a workload whose own spec wants none. */
  readonly ofNone?: boolean;
}

/** The Pods of a workload, and their wanted number; undefined if unknown. */
export interface PodsOfWorkload {
  readonly pods: readonly Pod[];
  readonly replicas: number | undefined;
}

const none: PodsOfWorkload = { pods: [], replicas: 0 };
const keyIn = ({ namespace, name }: WorkloadReference): ObjectKey => ({ namespace, name });

/** The kinds that are held in caches. */
const knownKinds = ({ gates, installed }: FinderOptions): readonly KnownKind[] => {
  const ours: readonly KnownKind[] = [
    { type: cloneSets, understood: workloadOf },
    { type: daemonSets, understood: daemonSetOf },
    {
      type: statefulSets,
      understood: (object, apiVersion) =>
        statefulSetOf(object, apiVersion, { honoursStart: gates.StatefulSetStartOrdinal, reserves: true }),
    },
  ];
  return [
    { type: replicationControllers, understood: replicationControllerOf },
    { type: deployments, understood: workloadOf },
    { type: replicaSets, understood: workloadOf },
    { type: builtInDaemonSets, understood: daemonSetOf },
    { type: jobs, understood: jobOf },
    {
      type: builtInStatefulSets,
      understood: (object, apiVersion) => statefulSetOf(object, apiVersion, { honoursStart: true, reserves: false }),
    },
    ...ours.filter(({ type: { group, version, kind } }) => installed(group, version, kind)),
  ];
};

export class WorkloadFinder {
  readonly #options: FinderOptions;
  readonly #mapper: KindMapper;
  readonly #known: readonly KnownKind[];

  constructor(options: FinderOptions) {
    this.#options = options;
    this.#mapper = options.mapper ?? new KindMapper(options.client, options.clock);
    this.#known = knownKinds(options);
  }

  /**
   * The workload; for a ReplicaSet that something controls, that: a Deployment, or whatever else rolls Pods out by ReplicaSets.
   *
   * @returns undefined when there is none, or another one than the reference's uid names
   * @throws UnknownKind for a kind that is not served, ApiError when it cannot be read
   */
  async find(reference: WorkloadReference, signal: AbortSignal): Promise<FoundWorkload | undefined> {
    const found = await this.findExactly(reference, signal);
    const owner = found === undefined || !isSameKind(groupKindOf(found), replicaSets) ? undefined : controllerOf(found);
    if (owner === undefined) return found;
    const owning = { ...owner, namespace: reference.namespace };
    return refersToKind(owner, deployments) ? this.findExactly(owning, signal) : ((await this.#findIfKnown(owning, signal)) ?? found);
  }

  /** Undefined also for a workload of a kind that is not served or may not be read. */
  async #findIfKnown(reference: WorkloadReference, signal: AbortSignal): Promise<FoundWorkload | undefined> {
    try {
      return await this.findExactly(reference, signal);
    } catch (error) {
      if (error instanceof UnknownKind) return undefined;
      return unlessPassing(error);
    }
  }

  /**
   * The Pods of the workload that a reference names.
   *
   * @throws as {@link find}
   */
  async podsOf(reference: WorkloadReference, choice: PodChoice, signal: AbortSignal): Promise<PodsOfWorkload> {
    const found = await this.findExactly(reference, signal);
    return found === undefined ? none : this.podsOfFound(found, choice, signal);
  }

  /** As {@link podsOf}, of a workload that has been found. */
  async podsOfFound(found: FoundWorkload, { active, ofNone = false }: PodChoice, signal: AbortSignal): Promise<PodsOfWorkload> {
    const { replicas, selector, namespace } = found;
    if (found.isBeingDeleted || (replicas === 0 && !ofNone)) return none;
    const informer = this.#options.caches.of(pods, byOwner);
    await informer.reflector.waitForSync(signal);
    const { store } = informer;
    const uids = isSameKind(groupKindOf(found), deployments) ? await this.#replicaSetsOf(found, signal) : [found.uid];
    const owned = uids.flatMap((uid) => store.byIndex(byOwner, uid, { namespace }));
    const isKnown = this.#known.some(({ type }) => isSameKind(type, groupKindOf(found)));
    const bySelector =
      owned.length > 0 || isKnown || selector === undefined
        ? []
        : store.list({ namespace, selector: (labels) => selector.matches(labels) });
    const all = owned.length > 0 ? owned : bySelector;
    return { pods: active ? all.filter(isPodActive) : all, replicas };
  }

  /** The uids of the ReplicaSets of a Deployment, also of those without Pods; its own when there are none. */
  async #replicaSetsOf({ uid, namespace, selector }: FoundWorkload, signal: AbortSignal): Promise<readonly string[]> {
    const informer = this.#options.caches.of(replicaSets, byController);
    await informer.reflector.waitForSync(signal);
    const uids = informer.store
      .byIndex(byController, uid, { namespace })
      .filter(
        (set) =>
          isControlledBy(set, uid) && set.metadata.deletionTimestamp === undefined && selector?.matches(set.metadata.labels) === true,
      )
      .flatMap(({ metadata }) => metadata.uid ?? []);
    return uids.length === 0 ? [uid] : uids;
  }

  /** The very object that the reference names. @throws as {@link find} */
  async findExactly(reference: WorkloadReference, signal: AbortSignal): Promise<FoundWorkload | undefined> {
    const found = await this.#read(reference, signal);
    return found === undefined || (reference.uid !== undefined && reference.uid !== found.uid) ? undefined : found;
  }

  async #read(reference: WorkloadReference, signal: AbortSignal): Promise<FoundWorkload | undefined> {
    if (!isPathSegmentName(reference.name)) return undefined;
    const wanted = groupKindOf(reference);
    const known = this.#known.find(({ type }) => isSameKind(type, wanted));
    if (known !== undefined) return this.#readKnown(known, reference, signal);
    const { reading } = this.#options.listed;
    const listed = reading.kind === 'Read' ? listedKind(reading.kinds, wanted) : undefined;
    if (listed === undefined) return this.#whileServed(reference, () => this.#readUntyped(reference, signal));
    const { group, version, kind } = listed;
    const inListed = { ...reference, apiVersion: group === '' ? version : `${group}/${version}`, kind };
    return this.#whileServed(inListed, () => this.#readListed(inListed, signal));
  }

  /** Runs a read of a kind that was served when the API server was asked. @throws UnknownKind when it is no longer served */
  async #whileServed<T>({ apiVersion, kind }: WorkloadReference, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!isNotServed(error)) throw error;
      this.#mapper.forget(apiVersion, kind);
      throw new UnknownKind(`kind ${kind} of ${apiVersion} is no longer served`, { cause: error });
    }
  }

  async #readKnown({ type, understood }: KnownKind, reference: WorkloadReference, signal: AbortSignal): Promise<FoundWorkload | undefined> {
    const { store } = this.#options.caches.of(type);
    const object = await this.#heldOrLive(store, type, keyIn(reference), signal);
    return object === undefined ? undefined : understood(object, apiVersionOf(type), type.kind);
  }

  async #readListed(reference: WorkloadReference, signal: AbortSignal): Promise<FoundWorkload | undefined> {
    const { apiVersion, kind } = reference;
    const held = this.#options.listed.storeOf(groupKindOf(reference))?.get(keyIn(reference));
    if (held !== undefined) return whiteListedObject(held, apiVersion, kind);
    const { type } = await this.#mapper.map(apiVersion, kind, signal);
    const object = await unlessDeleted(this.#options.client.get(type, keyIn(reference), { signal }));
    return object === undefined ? undefined : whiteListedObject(object, apiVersion, kind);
  }

  /** What a cache lacks may have been made a moment ago. */
  async #heldOrLive(store: StoreReader, type: ResourceType, key: ObjectKey, signal: AbortSignal): Promise<KubeObject | undefined> {
    const held = store.get(key);
    if (held !== undefined) return held;
    const live = await unlessDeleted(this.#options.client.get(type, key, { signal }));
    return live === undefined ? undefined : asHeld(type, live);
  }

  /** Through its Scale, which needs no right to the object; what has none, or one whose path leads nowhere, is no more than an object. */
  async #readUntyped(reference: WorkloadReference, signal: AbortSignal): Promise<FoundWorkload | undefined> {
    const { client } = this.#options;
    const { apiVersion, kind } = reference;
    const { type, isScaled } = await this.#mapper.map(apiVersion, kind, signal);
    if (this.#options.readsObjects === true) return this.#readObject({ type, isScaled }, reference, signal);
    if (isScaled) {
      try {
        const scale = await unlessDeleted(client.getScale(type, keyIn(reference), { signal }));
        return scale === undefined ? undefined : scaledObject(scale, apiVersion, kind);
      } catch (error) {
        unlessPassing(error);
      }
    }
    const object = await unlessDeleted(client.get(type, keyIn(reference), { signal }));
    return object === undefined ? undefined : bareObject(object, apiVersion, kind);
  }

  /** The object, with what its Scale says. A Scale that cannot be read, such as one whose path leads nowhere, says nothing. */
  async #readObject({ type, isScaled }: MappedKind, reference: WorkloadReference, signal: AbortSignal): Promise<FoundWorkload | undefined> {
    const { client } = this.#options;
    const { apiVersion, kind } = reference;
    const object = await unlessDeleted(client.get(type, keyIn(reference), { signal }));
    if (object === undefined) return undefined;
    const bare = bareObject(object, apiVersion, kind);
    const scale = isScaled ? await client.getScale(type, keyIn(reference), { signal }).catch(unlessPassing) : undefined;
    if (scale === undefined) return bare;
    const { replicas, selector } = scaledObject(scale, apiVersion, kind);
    return { ...bare, replicas, selector };
  }
}

/** The API server knows no such path: it answers 404 without the name of an object. */
const isNotServed = (error: unknown): boolean =>
  error instanceof ApiError && error.failure.kind === 'ServerError' && error.failure.status === 404;

/** What the server has decided on is an answer; what never came is none, nor is that the kind is not served. */
function unlessPassing(error: unknown): undefined {
  if (!(error instanceof ApiError) || isNotServed(error) || isFailure(error, 'Unreachable', 'Aborted', 'TooManyRequests')) throw error;
}
