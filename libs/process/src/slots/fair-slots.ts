/** Limits parallel work, shared between owners in turns. */
import { Turns } from './turns.ts';

/** A number of slots. Waiting callers are served in turns of their owners, those of one owner in the order in which they came. */
export class FairSlots {
  /** Undefined: unlimited. */
  #free: number | undefined;
  readonly #waiting = new Turns<() => void>();

  /** Creates the slots. @param size 0 or less for unlimited */
  constructor(size: number) {
    this.#free = size > 0 ? size : undefined;
  }

  /** Takes a slot if one is free, in which case no caller waits. */
  tryTake(): boolean {
    if (this.#free === undefined) return true;
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /**
   * Resolves with a slot taken. Rejects with the reason of `signal` when that aborts before, without a slot.
   *
   * @param owners that the caller works for; the first turn of any of them counts
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

  /** Returns a slot, which the next waiting caller takes immediately. */
  release(): void {
    if (this.#free === undefined) return;
    const serve = this.#waiting.next();
    if (serve === undefined) this.#free += 1;
    else serve();
  }
}
