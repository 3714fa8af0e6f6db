/** Delivers changes to listeners: each receives every change once and in one order, also when a listener causes further changes. */
import type { KubeObject } from '@kruise/objects';
import type { StoreEvent, StoreListener } from '../store.ts';

export class Delivery<T extends KubeObject> {
  readonly #listeners = new Set<StoreListener<T>>();
  readonly #waiting: StoreEvent<T>[] = [];
  readonly #onFailure: (error: unknown) => void;
  #delivering = false;

  /**
   * Creates a delivery without listeners.
   *
   * @param onFailure called for listeners that throw; the others still receive their event
   */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(listener: StoreListener<T>): void {
    this.#listeners.add(listener);
  }

  remove(listener: StoreListener<T>): void {
    this.#listeners.delete(listener);
  }

  /** Delivers the event before it returns. When a listener calls it, the event is delivered right after the earlier ones. */
  send(event: StoreEvent<T>): void {
    if (this.#listeners.size === 0) return;
    this.#waiting.push(event);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) this.#deliver(next);
    } finally {
      this.#delivering = false;
    }
  }

  tell(listener: StoreListener<T>, event: StoreEvent<T>): void {
    try {
      listener(event);
    } catch (error) {
      this.#onFailure(error);
    }
  }

  #deliver(event: StoreEvent<T>): void {
    for (const listener of this.#listeners) this.tell(listener, event);
  }
}
