/**
 * Shares the event loop among requests: who has much to do asks for a turn before each part, and waits until the loop has been round once the
 * time of this round is used up. So what comes in meanwhile is seen: other requests, and that a caller has gone.
 */

/** Of work in one round of the loop. */
const roundMs = 10;

export class EventLoopTurns {
  readonly #waiting: (() => void)[] = [];
  /** When the loop last came round, as far as it is known here. */
  #began = -Infinity;
  #isScheduled = false;

  /** Resolves at once while there is time in this round, else in a later one; in the order of the calls. */
  take(): Promise<void> {
    if (this.#waiting.length === 0 && performance.now() - this.#began < roundMs) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#began = performance.now();
      this.#waiting.shift()?.();
      // What was woken works once this function has returned; the next one waits for another round.
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
