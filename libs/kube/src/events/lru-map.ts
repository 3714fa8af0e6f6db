/** A map that keeps the most recently used entries. When it is full, the least recently used one is removed. */
export class LruMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #capacity: number;

  /** Creates an empty map. @param capacity at least 1 */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the value of `key`, which counts as a use. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}
