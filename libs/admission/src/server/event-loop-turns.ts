/**
 * Shares the event loop among requests. Long work requests a turn before each part, and waits until the loop has completed a round once the time of
 * this round is used up. So events in between are noticed: other requests, and callers that disconnected.
 */

/** Time of work in one round of the loop. */
const roundMs = 10;

export class EventLoopTurns {
  readonly #waiting: (() => void)[] = [];
  /** When the last known round of the loop began. */
  #began = -Infinity;
  #isScheduled = false;

  /** Resolves immediately while there is time in this round, otherwise in a later one, in the order of the calls. */
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
      // The resumed caller works once this function has returned. The next one waits for another round.
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
