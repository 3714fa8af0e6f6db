/**
 * The object of a namespace that speaks against a new one: it is looked for in the cache, so that a review costs nothing for the others, and read live
 * before anything is refused for it, as it may be gone by now. Objects that were let in a moment ago, which the cache does not hold yet, count as well.
 */
import { ApiError, SystemClock, unlessDeleted, type Clock, type Informer, type StoreReader } from '@kruise/kube';
import { byName, formatKey, keyOf, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import type { LiveReads } from './handler-dependencies.ts';

/** A watch delivers an object within this time, unless another webhook refused its creation. */
const letInForMs = 5000;

/** Objects let in a moment ago that are remembered at most. */
const mostLetIn = 1000;

/** Rivals that are read live for one review; those behind them count as they are held. */
const mostReads = 3;

interface LetIn<T> {
  readonly object: T;
  readonly until: number;
}

export interface RivalSources<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly informer: Informer<T>;
  readonly client: Pick<LiveReads, 'get'>;
  readonly clock?: Pick<Clock, 'monotonic'> | undefined;
}

export interface RivalSearch<T extends KubeObject> {
  /** Of the new object. */
  readonly key: ObjectKey;
  /** Whom to look at in the cache; the object itself may be among them. */
  readonly candidates: (store: StoreReader<T>) => readonly T[];
  readonly isRival: (other: T) => boolean;
}

export class Rivals<T extends KubeObject> {
  readonly #sources: RivalSources<T>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** In the order in which they were let in. */
  readonly #letIn = new Map<string, LetIn<T>>();

  constructor(sources: RivalSources<T>) {
    this.#sources = sources;
    this.#clock = sources.clock ?? new SystemClock();
  }

  /**
   * The first rival by name, as the API server has it.
   *
   * @throws what ends the wait for the first list of the cache
   */
  async first(search: RivalSearch<T>, signal: AbortSignal): Promise<T | undefined> {
    const { informer } = this.#sources;
    if (!informer.store.synced) await informer.reflector.waitForSync(signal);
    const others = [...search.candidates(informer.store), ...this.#unseen(search.key)].sort(byName);
    let reads = 0;
    for (const other of others) {
      if (other.metadata.name === search.key.name || !search.isRival(other)) continue;
      if (++reads > mostReads) return other;
      const live = await this.#live(other, signal);
      if (live !== undefined && search.isRival(live)) return live;
    }
    return undefined;
  }

  /** An object was let in that will be created: no dry run. */
  letIn(object: T): void {
    const key = formatKey(keyOf(object));
    this.#letIn.delete(key);
    this.#letIn.set(key, { object, until: this.#clock.monotonic() + letInForMs });
    this.#forgetOld();
  }

  #forgetOld(): void {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#letIn) {
      if (until > now && this.#letIn.size <= mostLetIn) return;
      this.#letIn.delete(key);
    }
  }

  #unseen({ namespace }: ObjectKey): readonly T[] {
    this.#forgetOld();
    const { store } = this.#sources.informer;
    return [...this.#letIn.values()].flatMap(({ object }) =>
      object.metadata.namespace === namespace && store.get(keyOf(object)) === undefined ? [object] : [],
    );
  }

  /** What is held is good enough where the server does not answer. */
  async #live(other: T, signal: AbortSignal): Promise<T | undefined> {
    const { client, type } = this.#sources;
    try {
      const live = await unlessDeleted(client.get(type, keyOf(other), { signal }));
      if (live === undefined) this.#letIn.delete(formatKey(keyOf(other)));
      return live;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return other;
    }
  }
}
