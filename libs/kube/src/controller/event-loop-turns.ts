/**
 * Lets one reconcile start for each turn of the event loop, over all controllers that share it. However many keys wait, requests, probes and lease
 * renewals run in between.
 * @see spec/manager.md 5.6, the slice limit of the webhooks
 */
export class EventLoopTurns {
  readonly #waiting = new Set<() => void>();
  #scheduled = false;

  /** Resolves in a turn of the event loop that no other waiter has, in the order of the calls. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      for (const resolve of this.#waiting) {
        this.#waiting.delete(resolve);
        resolve();
        break;
      }
      this.#schedule();
    });
  }
}
