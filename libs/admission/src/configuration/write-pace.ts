/** Paces writes that any client may cause: the first few are immediate, then they are spaced, however many are requested. */
import type { Clock } from '@kruise/kube';
import { milliseconds } from '@kruise/objects';

const spacingMs = 500;
/** This many writes may be immediate after a pause. */
const burst = 5;

export class WritePace {
  readonly #clock: Clock;
  /** When all writes so far would be done if they had been spaced. */
  #doneAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a write is allowed. Rejects when `signal` aborts before. */
  async wait(signal: AbortSignal): Promise<void> {
    const waitMs = this.#doneAtMs - (burst - 1) * spacingMs - this.#clock.now();
    if (waitMs > 0) await this.#clock.sleep(milliseconds(waitMs), signal);
  }

  written(): void {
    this.#doneAtMs = Math.max(this.#doneAtMs, this.#clock.now()) + spacingMs;
  }
}
