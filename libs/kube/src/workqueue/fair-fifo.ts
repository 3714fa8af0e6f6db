import { Fifo } from './fifo.ts';

/**
 * First in, first out among the items of one share, such as a namespace; the waiting shares take turns. So an item waits for at most one item of each
 * other share, besides the earlier ones of its own.
 */
export class FairFifo<T> {
  /** Only shares that have an item; the next one to be served is first. */
  readonly #shares = new Map<string, Fifo<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(share: string, item: T): void {
    const items = this.#shares.get(share) ?? new Fifo<T>();
    items.push(item);
    this.#shares.set(share, items);
    this.#size += 1;
  }

  /**
   * Removes and returns the next item.
   *
   * @param isOpen whether a share may be served; the others keep their place
   * @returns undefined when no share that may be served has an item
   */
  shift(isOpen: (share: string) => boolean = () => true): T | undefined {
    for (const [share, items] of this.#shares) {
      if (!isOpen(share)) continue;
      this.#shares.delete(share);
      const item = items.shift();
      if (items.size > 0) this.#shares.set(share, items);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }
}
