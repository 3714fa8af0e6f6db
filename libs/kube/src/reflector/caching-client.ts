/**
 * A client whose writes are seen in the stores at once: what the server answers to a write goes into every store of its kind and
 * version before the caller gets it. Reads go to the server; controllers read the stores.
 *
 * A call that failed claims nothing: after `Unreachable` the write may or may not have taken effect, and the watch will tell. Scale and
 * eviction answers do not hold the object, so the stores learn of those from the watch.
 */
import { apiVersionOf, keyOf, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import { isFailure } from '../api-error.ts';
import type {
  CallOptions,
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

/** Where the answers go; `Informers` is one. */
export interface StoresByKind {
  storesOf(apiVersion: string, kind: string): readonly (StoreReader & StoreWriter)[];
}

/** What a deletion meant for one store: the object that was held when the call began. */
interface Target {
  readonly store: StoreReader & StoreWriter;
  readonly uid: string | undefined;
}

/**
 * Whether an answer is the last state of an object that the server removed with the call: nothing holds it back any more.
 * (It takes away what has no finalizers and no grace left within the call that makes it so.)
 */
const isGone = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0 && (metadata.finalizers ?? []).length === 0;

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
    options?: CallOptions & { readonly subresource?: string; readonly resourceVersion?: string },
  ): Promise<T> {
    return this.#client.get(type, key, options);
  }

  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions<T>): Promise<ObjectList<T>> {
    return this.#client.list(type, options);
  }

  async create<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#feed(type, await this.#client.create(type, object, options), options);
  }

  async update<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#feed(type, await this.#client.update(type, object, options), options);
  }

  async updateStatus<T extends KubeObject>(type: ResourceType<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.#feed(type, await this.#client.updateStatus(type, object, options), options);
  }

  async patch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: unknown,
    options: WriteOptions & { readonly type: PatchType; readonly force?: boolean },
  ): Promise<T> {
    return this.#feed(type, await this.#client.patch(type, key, patch, options), options);
  }

  async delete<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: DeleteOptions): Promise<T | undefined> {
    // Taken before the call: when the answer is there, another object of this name may be held already.
    const targets = this.#storesFor(type).map((store): Target => ({ store, uid: store.get(key)?.metadata.uid }));
    const answer = await this.#client.delete(type, key, options).catch((error: unknown) => {
      if (isFailure(error, 'NotFound')) buryHeld(targets, key);
      throw error;
    });
    if (options?.dryRun === true) return answer;
    if (answer === undefined) buryHeld(targets, key);
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
    path: string,
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
    const { apiVersion = apiVersionOf(type), kind = type.kind } = answer;
    return apiVersion === apiVersionOf(type) && kind === type.kind && typeof answer.metadata.resourceVersion === 'string';
  }

  #feed<T extends KubeObject>(type: ResourceType<T>, answer: T, options: WriteOptions | undefined): T {
    if (options?.dryRun === true || !this.#isOf(type, answer)) return answer;
    for (const store of this.#storesFor(type)) {
      if (isGone(answer)) store.observeDeletion(keyOf(answer), answer.metadata.uid, answer.metadata.resourceVersion ?? '');
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
    const { deletionTimestamp, finalizers = [], uid, resourceVersion = '' } = answer.metadata;
    const gone = deletionTimestamp === undefined || isGone(answer) || (forced && finalizers.length === 0);
    for (const store of this.#storesFor(type)) {
      if (gone) store.observeDeletion(keyOf(answer), uid, resourceVersion);
      else store.observe(answer);
    }
  }
}

function buryHeld(targets: readonly Target[], key: ObjectKey): void {
  for (const { store, uid } of targets) if (uid !== undefined) store.observeDeletion(key, uid, '');
}
