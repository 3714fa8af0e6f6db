/**
 * First in, first out: items are pushed onto one array and taken from the end of another, which is the first one turned around whenever it is
 * spent. Each item is moved once, so that all is in constant time on average.
 */
export class Fifo<T> {
  #pushed: T[] = [];
  #turned: T[] = [];

  get size(): number {
    return this.#pushed.length + this.#turned.length;
  }

  push(item: T): void {
    this.#pushed.push(item);
  }

  shift(): T | undefined {
    if (this.#turned.length === 0) [this.#pushed, this.#turned] = [this.#turned, this.#pushed.reverse()];
    return this.#turned.pop();
  }
}
