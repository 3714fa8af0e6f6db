/** A complete list that is being put into a store, item by item, while own writes continue. */
import { formatKey, keyOf, type KubeObject } from '@kruise/objects';

/** The calls of a replacement to its store. */
export interface ReplacementTarget<T extends KubeObject> {
  take(object: T): void;
  takeDeleted(object: T): void;
  held(): readonly T[];
  /** Returns whether the store has seen a later state of the cluster than this. */
  isBehind(resourceVersion: string): boolean;
  /** Reports that the list shows everything up to this resourceVersion: earlier answers that arrive late contain nothing new. */
  reached(resourceVersion: string): void;
  /** Reports that the held object with the key of `object` may have been deleted. */
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

  /** Applies an item of the list; for a streamed list also what changed meanwhile. */
  add(object: T): void {
    this.#seen.add(identityOf(object));
    this.#target.take(object);
  }

  /** Applies a deletion after a streamed list had begun. */
  remove(object: T): void {
    this.#seen.delete(identityOf(object));
    this.#target.takeDeleted(object);
  }

  /** Returns whether the complete list of `resourceVersion` is older than what the store has seen: the server was restored from an older backup. */
  isRewound(resourceVersion: string): boolean {
    return this.#target.isBehind(resourceVersion);
  }

  /**
   * Completes the list: held objects that are not in it are removed, unless they are newer than the list. The position advances before the first
   * removal, so that an answer that arrives in a pause brings nothing back.
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
