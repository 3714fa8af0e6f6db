import { milliseconds, type Milliseconds } from '@kruise/objects';
import type { Clock, Timer } from '../clock.ts';

/** Runs a task after a time of silence. `touch` is called for every event of a watch, so it only stores the time; one timer compares it. */
export class StallTimer {
  readonly #clock: Clock;
  readonly #after: Milliseconds;
  readonly #onStall: () => void;
  #heardAt: number;
  #timer: Timer;

  constructor(clock: Clock, after: Milliseconds, onStall: () => void) {
    this.#clock = clock;
    this.#after = after;
    this.#onStall = onStall;
    this.#heardAt = clock.monotonic();
    this.#timer = clock.schedule(after, () => this.#look());
  }

  /** Milliseconds since it was created or last touched. */
  get silentMs(): number {
    return this.#clock.monotonic() - this.#heardAt;
  }

  touch(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #look(): void {
    const left = this.#heardAt + this.#after - this.#clock.monotonic();
    if (left <= 0) this.#onStall();
    else this.#timer = this.#clock.schedule(milliseconds(left), () => this.#look());
  }
}
