import { milliseconds, type Milliseconds } from '@kruise/objects';

export interface BackoffOptions {
  readonly first: Milliseconds;
  readonly most: Milliseconds;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
}

/** Waits that double with each failure in a row. Each is between half of its length and the whole, so that many watchers spread out. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** Returns the next wait. @param atMost for failures that need no long wait */
  next(atMost: Milliseconds = this.#options.most): Milliseconds {
    const { first, most, random } = this.#options;
    const whole = Math.min(first * 2 ** Math.min(this.#failures, 20), most, atMost);
    this.#failures++;
    return milliseconds(whole * (0.5 + random() / 2));
  }

  reset(): void {
    this.#failures = 0;
  }
}
