/**
 * Combines writes of many callers to one object: what is requested while one write is in progress is written by the next one together. So writes
 * never conflict, and a hundred callers cost two writes.
 */
interface Asker<T> {
  readonly items: readonly T[];
  readonly signal: AbortSignal;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class GatheredWrites<T> {
  readonly #write: (items: readonly T[], signal: AbortSignal) => Promise<void>;
  #waiting: Asker<T>[] = [];
  #running: Promise<void> | undefined;

  /**
   * Creates a queue.
   *
   * @param write receives what all callers of one turn request, and the signal of the last one of them
   */
  constructor(write: (items: readonly T[], signal: AbortSignal) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once a write that contains these items has succeeded. Rejects with its failure, or when `signal` aborts before. */
  ask(items: readonly T[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.#waiting.push({ items, signal, resolve, reject });
      this.#running ??= this.#run().finally(() => (this.#running = undefined));
    });
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const askers = this.#waiting.filter(({ signal }) => !signal.aborted);
      this.#waiting = [];
      const last = askers.at(-1);
      if (last === undefined) continue;
      try {
        await this.#write(
          askers.flatMap(({ items }) => items),
          last.signal,
        );
        for (const { resolve } of askers) resolve();
      } catch (error) {
        for (const { reject } of askers) reject(error);
      }
    }
  }
}
