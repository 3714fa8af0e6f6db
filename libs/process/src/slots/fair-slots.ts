/** How much is done at the same time, shared out between owners in turns. */
import { Turns } from './turns.ts';

/** A number of slots; those that wait for one are served in turns of their owners, those of one owner in the order in which they came. */
export class FairSlots {
  /** Undefined: any number. */
  #free: number | undefined;
  readonly #waiting = new Turns<() => void>();

  /** @param size 0 or less for any number */
  constructor(size: number) {
    this.#free = size > 0 ? size : undefined;
  }

  /** Takes a slot if one is free; then nobody waits for it. */
  tryTake(): boolean {
    if (this.#free === undefined) return true;
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /**
   * Resolves with a slot taken; rejects with the reason of `signal` when that aborts before, and takes none then.
   *
   * @param owners on whose behalf; of several, the turn of any will do
   */
  take(owners: readonly string[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      if (this.tryTake()) return resolve();
      const leave = (): void => {
        this.#waiting.delete(serve);
        reject(signal.reason as Error);
      };
      const serve = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(serve, owners);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Gives a slot back; the one whose turn it is has it at once. */
  release(): void {
    if (this.#free === undefined) return;
    const serve = this.#waiting.next();
    if (serve === undefined) this.#free += 1;
    else serve();
  }
}
