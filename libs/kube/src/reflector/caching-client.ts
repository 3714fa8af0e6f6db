/**
 * A client whose writes are seen in the stores at once: what the server answers to a write goes into every store of its kind and
 * version before the caller gets it. Reads go to the server; controllers read the stores.
 *
 * A call that failed claims nothing: after `Unreachable` the write may or may not have taken effect, and the watch will tell. Scale and
 * eviction answers do not hold the object, so the stores learn of those from the watch.
 *
 * Every write is a consistent one, so what it returns is never older than what had been seen of the object when it began, and what it makes is newer
 * than all that had been seen. Where it is not, the server's history was set back, and the store is told.
 */
import { type UrlPath } from '../client/resource-path.ts';
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
} from '../client.ts';
import type { StoreReader, StoreWriter } from '../store.ts';
import { isNewer } from '../store/resource-version.ts';

/** Where the answers go; `Informers` is one. */
export interface StoresByKind {
  storesOf(apiVersion: string, kind: string): readonly (StoreReader & StoreWriter)[];
}

/** What a deletion meant for one store: the object that was held when the call began. */
interface Target {
  readonly store: StoreReader & StoreWriter;
  readonly uid: string;
}

/** What one store had seen when a write began. */
interface Before {
  readonly store: StoreReader & StoreWriter;
  /** Whether an answer of this version is older than that. */
  readonly contradictedBy: (resourceVersion: string | undefined) => boolean;
}

interface WithFinalizersInSpec extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
}

/** Whether finalizers keep the object; a Namespace has some of its own in its spec, for as long as there is something in it. */
function isHeldBack(type: ResourceType, object: WithFinalizersInSpec): boolean {
  const ofNamespace = type.kind === 'Namespace' && type.group === '' ? object.spec?.finalizers : undefined;
  return (object.metadata.finalizers ?? []).length > 0 || (ofNamespace ?? []).length > 0;
}

/**
 * Whether an answer is the last state of an object that the server removed with the call: nothing holds it back any more.
 * (It takes away what has no finalizers and no grace left within the call that makes it so.)
 */
const isGone = (type: ResourceType, object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && (object.metadata.deletionGracePeriodSeconds ?? 0) === 0 && !isHeldBack(type, object);

/** Reads from the stores where there is one for the kind, writes to the server, and puts what a write returned into the stores at once. */
export class CachingClient implements Client {
  readonly #client: Client;
  readonly #stores: StoresByKind;

  constructor(client: Client, stores: StoresByKind) {
    this.#client = client;
    this.#stores = stores;
  }

  get<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    options?: GetOptions,
  ): Promise<T> {
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
    // Taken before the call: when the answer is there, another object of this name may be held already.
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

  /** Subresources may answer with objects of other kinds; those are of no store of this kind. */
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

  /** @param before what the stores had seen when the call began */
  #feed<T extends KubeObject>(type: ResourceType<T>, answer: T, options: WriteOptions | undefined, before: readonly Before[]): T {
    if (options?.dryRun === true || !this.#isOf(type, answer)) return answer;
    for (const { store, contradictedBy } of before) {
      if (contradictedBy(answer.metadata.resourceVersion)) store.doubtHistory(answer.metadata.resourceVersion ?? '');
      else if (isGone(type, answer)) store.observeDeletion(keyOf(answer), answer.metadata.uid, answer.metadata.resourceVersion ?? '');
      else store.observe(answer);
    }
    return answer;
  }

  /**
   * The answer shows the object: going, held back by finalizers or grace, or gone at once.
   *
   * @param forced whether the call left it no grace
   */
  #feedDeleted(type: ResourceType, answer: KubeObject, forced: boolean): void {
    if (!this.#isOf(type, answer)) return;
    const { deletionTimestamp, uid, resourceVersion = '' } = answer.metadata;
    const gone = deletionTimestamp === undefined || isGone(type, answer) || (forced && !isHeldBack(type, answer));
    for (const store of this.#storesFor(type)) {
      if (gone) store.observeDeletion(keyOf(answer), uid, resourceVersion);
      else store.observe(answer);
    }
  }
}
