import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../clock.ts';

/** Keeps long work from blocking the event loop: `pause` returns a promise to await when the slice is used up. */
export class Slices {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #budgetMs: number;
  #began: number;

  constructor(clock: Pick<Clock, 'monotonic'>, budgetMs = 8) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.#began = clock.monotonic();
  }

  pause(): Promise<void> | undefined {
    return this.#clock.monotonic() - this.#began < this.#budgetMs ? undefined : this.#turn();
  }

  async #turn(): Promise<void> {
    await setImmediate();
    this.#began = this.#clock.monotonic();
  }
}
