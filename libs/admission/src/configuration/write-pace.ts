/** Writes that anybody may cause: the first few come at once, then they are spaced out, however many are asked for. */
import type { Clock } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';

const spacingMs = 500;
/** So many may come at once after a pause. */
const burst = 5;

export class WritePace {
  readonly #clock: Clock;
  /** When all writes so far would be done if they had been spaced out. */
  #doneAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when one may be written; rejects when `signal` aborts before. */
  async wait(signal: AbortSignal): Promise<void> {
    const waitMs = this.#doneAtMs - (burst - 1) * spacingMs - this.#clock.now();
    if (waitMs > 0) await this.#clock.sleep(milliseconds(waitMs), signal);
  }

  written(): void {
    this.#doneAtMs = Math.max(this.#doneAtMs, this.#clock.now()) + spacingMs;
  }
}
