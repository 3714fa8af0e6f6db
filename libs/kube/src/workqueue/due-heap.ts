interface Entry<K> {
  readonly key: K;
  readonly due: number;
  readonly order: number;
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean => a.due < b.due || (a.due === b.due && a.order < b.order);

/**
 * Keys by the time at which they are due, each at most once. Keys with the same time keep the order in which they were set. All changes are O(log n).
 */
export class DueHeap<K> {
  readonly #entries: Entry<K>[] = [];
  readonly #positions = new Map<K, number>();
  #order = 0;

  get size(): number {
    return this.#entries.length;
  }

  /** Returns the earliest time, Infinity when the heap is empty. */
  get nextDue(): number {
    return this.#entries[0]?.due ?? Infinity;
  }

  /** Returns when `key` is due, Infinity when the heap does not hold it. */
  dueOf(key: K): number {
    return this.#entries[this.#positions.get(key) ?? -1]?.due ?? Infinity;
  }

  /** Adds `key`, or moves it to another time. */
  set(key: K, due: number): void {
    this.delete(key);
    const position = this.#entries.length;
    this.#place({ key, due, order: this.#order++ }, position);
    this.#up(position);
  }

  delete(key: K): boolean {
    const position = this.#positions.get(key);
    if (position === undefined) return false;
    this.#positions.delete(key);
    const last = this.#entries.pop() as Entry<K>;
    if (position < this.#entries.length) {
      this.#place(last, position);
      this.#up(position);
      this.#down(position);
    }
    return true;
  }

  /** Removes and returns the key with the earliest time. */
  pop(): K | undefined {
    const first = this.#entries[0];
    if (first === undefined) return undefined;
    this.delete(first.key);
    return first.key;
  }

  clear(): void {
    this.#entries.length = 0;
    this.#positions.clear();
  }

  #at(position: number): Entry<K> {
    return this.#entries[position] as Entry<K>;
  }

  #place(entry: Entry<K>, position: number): void {
    this.#entries[position] = entry;
    this.#positions.set(entry.key, position);
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const [child, parent] = [this.#at(lower), this.#at(upper)];
    if (!isBefore(child, parent)) return false;
    this.#place(child, upper);
    this.#place(parent, lower);
    return true;
  }

  #up(from: number): void {
    for (let position = from; position > 0;) {
      const parent = (position - 1) >> 1;
      if (!this.#swapIfBefore(position, parent)) return;
      position = parent;
    }
  }

  #down(from: number): void {
    for (let [position, left] = [from, 2 * from + 1]; left < this.#entries.length; left = 2 * position + 1) {
      const right = left + 1;
      const child = right < this.#entries.length && isBefore(this.#at(right), this.#at(left)) ? right : left;
      if (!this.#swapIfBefore(child, position)) return;
      position = child;
    }
  }
}
