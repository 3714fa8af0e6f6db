/**
 * Writes of many askers to one object: what comes while one write is under way goes into the next one together, so that they never meet, and a
 * hundred askers cost two writes.
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

  /** @param write gets what all askers of one turn ask for, and the signal of the last one of them */
  constructor(write: (items: readonly T[], signal: AbortSignal) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once a write that holds these items has succeeded; rejects with its failure, or when `signal` aborts before. */
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
