/** How many images are pulled at the same time on this node: who comes first is served first. @see spec/daemon.md 5.2 */

export class PullSlots {
  /** Undefined: any number. */
  #free: number | undefined;
  readonly #waiting = new Set<() => void>();

  /** @param size 0 or less for any number */
  constructor(size: number) {
    this.#free = size > 0 ? size : undefined;
  }

  /** Takes a slot if one is free and nobody waits for it. */
  tryTake(): boolean {
    if (this.#free === undefined) return true;
    if (this.#free === 0 || this.#waiting.size > 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Resolves with a slot taken; rejects with the reason of `signal` when that aborts before, and takes none then. */
  take(signal: AbortSignal): Promise<void> {
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
      this.#waiting.add(serve);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Gives a slot back; the one who waits longest has it at once. */
  release(): void {
    if (this.#free === undefined) return;
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
