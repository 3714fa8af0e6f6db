/** A complete list on its way into a store, item by item, while own writes go on. */
import { formatKey, keyOf, type KubeObject } from '@kruise/objects';

/** What a replacement asks of its store. */
export interface ReplacementTarget<T extends KubeObject> {
  take(object: T): void;
  takeDeleted(object: T): void;
  held(): readonly T[];
  /** Whether the store has seen a later state of the cluster than this. */
  isBehind(resourceVersion: string): boolean;
  /** The list shows everything up to this resourceVersion: late answers of before tell nothing new. */
  reached(resourceVersion: string): void;
  /** What is held under the key of `object` may be gone. */
  missing(object: T, resourceVersion: string): void;
  finished(): void;
}

const identityOf = (object: KubeObject): string => object.metadata.uid ?? formatKey(keyOf(object));

export class Replacement<T extends KubeObject> {
  readonly #seen = new Set<string>();
  readonly #target: ReplacementTarget<T>;

  constructor(target: ReplacementTarget<T>) {
    this.#target = target;
  }

  /** An item of the list; from a streamed one also what changed meanwhile. */
  add(object: T): void {
    this.#seen.add(identityOf(object));
    this.#target.take(object);
  }

  /** Deleted after a streamed list had begun. */
  remove(object: T): void {
    this.#seen.delete(identityOf(object));
    this.#target.takeDeleted(object);
  }

  /** The list is complete at `resourceVersion`, which is older than what the store has seen: history was set back. */
  isRewound(resourceVersion: string): boolean {
    return this.#target.isBehind(resourceVersion);
  }

  /**
   * The list is complete: what is held and was not in it is gone, unless it is newer than the list. The position moves before the first removal,
   * so that an answer that comes in a pause brings nothing back.
   *
   * @param pause awaited now and then, so that a large store does not block the event loop
   */
  async finish(resourceVersion: string, pause: () => Promise<void> | undefined): Promise<void> {
    this.#target.reached(resourceVersion);
    for (const object of this.#target.held()) {
      if (this.#seen.has(identityOf(object))) continue;
      this.#target.missing(object, resourceVersion);
      const wait = pause();
      if (wait !== undefined) await wait;
    }
    this.#target.finished();
  }
}
