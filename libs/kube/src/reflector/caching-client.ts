/**
 * A client whose writes are visible in the stores immediately: the answer to a write is put into every store of its kind and version before the
 * caller receives it. Reads are sent to the server; controllers read the stores.
 *
 * A failed call changes no store: after `Unreachable` the write may or may not have taken effect, and the watch will show it. Answers of scale and
 * eviction do not contain the object, so the stores learn of those from the watch.
 *
 * Every write is consistent: it returns nothing older than what had been seen of the object when it began, and what it creates is newer than
 * everything seen. When that does not hold, the server was restored from an older backup, and the client reports that to the store.
 */
import { type UrlPath } from '../client/transport/resource-path.ts';
import { apiVersionOf, compareResourceVersions, keyOf, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import { isAbsence } from '../api-error.ts';
import type {
  CallOptions,
  GetOptions,
  Client,
  DeleteOptions,
  ListOptions,
  ObjectList,
  PatchType,
  Scale,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../client/client.ts';
import type { StoreReader, StoreWriter } from '../store.ts';
import { isNewer } from '../store/resource-version.ts';

/** The stores that receive the answers; `Informers` implements it. */
export interface StoresByKind {
  storesOf(apiVersion: string, kind: string): readonly (StoreReader & StoreWriter)[];
}

/** What a deletion refers to in one store: the object that was held when the call began. */
interface Target {
  readonly store: StoreReader & StoreWriter;
  readonly uid: string;
}

/** What one store had seen when a write began. */
interface Before {
  readonly store: StoreReader & StoreWriter;
  /** Returns whether an answer of this version is older than that. */
  readonly contradictedBy: (resourceVersion: string | undefined) => boolean;
}

interface WithFinalizersInSpec extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
}

/** Returns whether finalizers keep the object. A Namespace also has finalizers in its spec while it contains objects. */
function isHeldBack(type: ResourceType, object: WithFinalizersInSpec): boolean {
  const ofNamespace = type.kind === 'Namespace' && type.group === '' ? object.spec?.finalizers : undefined;
  return (object.metadata.finalizers ?? []).length > 0 || (ofNamespace ?? []).length > 0;
}

/**
 * Returns whether an answer is the last state of an object that the server removed with the call, because nothing holds it back. The server removes
 * an object within the call that leaves it without finalizers and without grace period.
 */
const isDeleted = (type: ResourceType, object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && (object.metadata.deletionGracePeriodSeconds ?? 0) === 0 && !isHeldBack(type, object);

/** Reads from the stores where there is one for the kind, writes to the server, and puts the answer of a write into the stores immediately. */
export class CachingClient implements Client {
  readonly #client: Client;
  readonly #stores: StoresByKind;

  constructor(client: Client, stores: StoresByKind) {
    this.#client = client;
    this.#stores = stores;
  }

  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: GetOptions): Promise<T> {
    return this.#client.get(type, key, options);
  }

  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions<T>): Promise<ObjectList<T>> {
    return this.#client.list(type, options);
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    const before = this.#beforeCreation(type);
    return this.#feed(type, await this.#client.create(type, object, options), options, before);
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    const before = this.#beforeChange(type, keyOf(object));
    return this.#feed(type, await this.#client.update(type, object, options), options, before);
  }

  async updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    const before = this.#beforeChange(type, keyOf(object));
    return this.#feed(type, await this.#client.updateStatus(type, object, options), options, before);
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: unknown,
    options: WriteOptions & { readonly type: PatchType; readonly force?: boolean },
  ): Promise<T> {
    const before = this.#beforeChange(type, key);
    return this.#feed(type, await this.#client.patch(type, key, patch, options), options, before);
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined> {
    // Taken before the call: when the answer arrives, another object with this name may be held already.
    const targets = this.#storesFor(type).flatMap((store): readonly Target[] => {
      const uid = store.get(key)?.metadata.uid;
      return uid === undefined ? [] : [{ store, uid }];
    });
    const answer = await this.#client.delete(type, key, options).catch((error: unknown) => {
      if (isAbsence(error, type, key.name)) for (const { store, uid } of targets) store.observeAbsence(key, uid);
      throw error;
    });
    if (options?.dryRun === true) return answer;
    if (answer === undefined) for (const { store, uid } of targets) store.observeDeletion(key, uid, '');
    else this.#feedDeleted(type, answer, options?.gracePeriodSeconds === 0);
    return answer;
  }

  getScale(type: ResourceType, key: ObjectKey, options?: CallOptions): Promise<Scale> {
    return this.#client.getScale(type, key, options);
  }

  updateScale(type: ResourceType, key: ObjectKey, scale: Scale, options?: WriteOptions): Promise<Scale> {
    return this.#client.updateScale(type, key, scale, options);
  }

  evict(key: ObjectKey, options?: DeleteOptions): Promise<void> {
    return this.#client.evict(key, options);
  }

  raw(
    path: UrlPath,
    options?: CallOptions & { readonly method?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<unknown> {
    return this.#client.raw(path, options);
  }

  watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions<T>): AsyncIterable<WatchEvent<T>> {
    return this.#client.watch(type, options);
  }

  close(): void {
    this.#client.close();
  }

  #storesFor(type: ResourceType): readonly (StoreReader & StoreWriter)[] {
    return this.#stores.storesOf(apiVersionOf(type), type.kind);
  }

  /** Returns whether the answer is of this kind. Subresources may answer with objects of other kinds, which belong to no store of this kind. */
  #isOf(type: ResourceType, answer: KubeObject): boolean {
    const { apiVersion = apiVersionOf(type), kind = type.kind, metadata } = answer as Partial<KubeObject>;
    return apiVersion === apiVersionOf(type) && kind === type.kind && typeof metadata?.resourceVersion === 'string';
  }

  #beforeCreation(type: ResourceType): readonly Before[] {
    return this.#storesFor(type).map((store) => {
      const { resourceVersion: seen } = store;
      return { store, contradictedBy: (made) => seen !== undefined && (compareResourceVersions(made, seen) ?? 1) <= 0 };
    });
  }

  #beforeChange(type: ResourceType, key: ObjectKey): readonly Before[] {
    return this.#storesFor(type).map((store) => {
      const seen = store.get(key)?.metadata.resourceVersion;
      return { store, contradictedBy: (changed) => isNewer(seen, changed) };
    });
  }

  /**
   * Puts an answer into the stores.
   *
   * @param before what the stores had seen when the call began
   */
  #feed<T extends KubeObject>(type: ResourceType<T>, answer: T, options: WriteOptions | undefined, before: readonly Before[]): T {
    if (options?.dryRun === true || !this.#isOf(type, answer)) return answer;
    for (const { store, contradictedBy } of before) {
      if (contradictedBy(answer.metadata.resourceVersion)) store.doubtHistory(answer.metadata.resourceVersion ?? '');
      else if (isDeleted(type, answer)) store.observeDeletion(keyOf(answer), answer.metadata.uid, answer.metadata.resourceVersion ?? '');
      else store.observe(answer);
    }
    return answer;
  }

  /**
   * Applies the answer to a deletion: the object is being deleted, held back by finalizers or grace, or removed immediately.
   *
   * @param forced whether the call left it no grace period
   */
  #feedDeleted(type: ResourceType, answer: KubeObject, forced: boolean): void {
    if (!this.#isOf(type, answer)) return;
    const { deletionTimestamp, uid, resourceVersion = '' } = answer.metadata;
    const gone = deletionTimestamp === undefined || isDeleted(type, answer) || (forced && !isHeldBack(type, answer));
    for (const store of this.#storesFor(type)) {
      if (gone) store.observeDeletion(keyOf(answer), uid, resourceVersion);
      else store.observe(answer);
    }
  }
}
