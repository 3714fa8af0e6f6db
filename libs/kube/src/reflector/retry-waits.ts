/** Decides how long a reflector waits before its next step. */
import { milliseconds, unreachable, type Milliseconds } from '@kruise/objects';
import type { Clock } from '../clock.ts';
import { Backoff } from './backoff.ts';
import type { NextStep } from './watch-failure.ts';

const first = milliseconds(800);
const most = milliseconds(30_000);
/** While the server cannot be reached at all, longer waits save nothing. */
const mostUnreachable = milliseconds(5_000);
/** A list is a success even when the watch after it fails. So that repeated lists become slower, only time resets their wait. */
const calmAfterMs = 120_000;

export class RetryWaits {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #again: Backoff;
  readonly #relists: Backoff;
  #relistedAt = -Infinity;

  constructor(clock: Pick<Clock, 'monotonic'>, random: () => number) {
    this.#clock = clock;
    this.#again = new Backoff({ first, most, random });
    this.#relists = new Backoff({ first, most, random });
  }

  /** Failed steps in a row, relists not counted. */
  get failures(): number {
    return this.#again.failures;
  }

  succeeded(): void {
    this.#again.reset();
  }

  /** Returns the wait before the next step. Called once for each failure: waits grow with each call. */
  before(next: NextStep): Milliseconds {
    switch (next.kind) {
      case 'PagedLists':
      case 'Renew':
        return milliseconds(0);
      case 'Relist':
        return this.#beforeRelist(next.atOnce);
      case 'Again':
        return milliseconds(Math.max(this.#again.next(next.reached ? most : mostUnreachable), next.atLeast ?? 0));
      default:
        return unreachable(next);
    }
  }

  #beforeRelist(atOnce: boolean): Milliseconds {
    const now = this.#clock.monotonic();
    if (now - this.#relistedAt > calmAfterMs) this.#relists.reset();
    this.#relistedAt = now;
    const isFirst = this.#relists.failures === 0;
    const wait = this.#relists.next();
    return atOnce && isFirst ? milliseconds(0) : wait;
  }
}
