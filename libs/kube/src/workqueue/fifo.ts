/**
 * A first-in, first-out queue. Items are pushed onto one array and taken from the end of another, which is refilled with the reversed first one when
 * it is empty. Each item is moved once, so every operation takes constant time on average.
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
