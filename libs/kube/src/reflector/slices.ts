import { setImmediate } from 'node:timers/promises';

/** Keeps long work from blocking the event loop: `pause` gives a promise to await whenever the slice is used up. */
export class Slices {
  readonly #budgetMs: number;
  #began = performance.now();

  constructor(budgetMs = 8) {
    this.#budgetMs = budgetMs;
  }

  pause(): Promise<void> | undefined {
    return performance.now() - this.#began < this.#budgetMs ? undefined : this.#turn();
  }

  async #turn(): Promise<void> {
    await setImmediate();
    this.#began = performance.now();
  }
}
