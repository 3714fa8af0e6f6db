/** Collects metrics once for all requests of a time, and pauses in between, so that permanent requests use a bounded share of a core. */
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { SystemClock, type Clock } from '@kruise/kube';
import { milliseconds, serverLimits } from '@kruise/objects';

const compress = promisify(gzip);

/** The longest pause. A source that is slow because it waits uses no CPU meanwhile. */
const longestPause = 1000;

/** The collected text. Every answer sends the same bytes. */
export class Collected {
  readonly plain: Buffer;
  #compressed: Promise<Buffer> | undefined;

  constructor(text: string) {
    this.plain = Buffer.from(text);
  }

  /** Returns the compressed text, which is compressed at the first call. */
  compressed(): Promise<Buffer> {
    return (this.#compressed ??= compress(this.plain));
  }
}

export class SharedCollection {
  readonly #gather: () => Promise<string>;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** The next collection, which has not begun. */
  #next: Promise<Collected> | undefined;
  /** Settles when the last collection has ended, successfully or not. */
  #last: Promise<unknown> = Promise.resolve();
  #restsUntil = 0;

  constructor(gather: () => Promise<string>, clock: Pick<Clock, 'monotonic' | 'sleep'> = new SystemClock()) {
    this.#gather = gather;
    this.#clock = clock;
  }

  /**
   * Returns metrics that are collected after the call: never an earlier number.
   *
   * @throws what the collection throws
   */
  collect(): Promise<Collected> {
    return (this.#next ??= this.#begin());
  }

  async #begin(): Promise<Collected> {
    await this.#last;
    const rest = this.#restsUntil - this.#clock.monotonic();
    if (rest > 0) await this.#clock.sleep(milliseconds(rest));
    this.#next = undefined;
    const collected = this.#measured();
    this.#last = collected.catch(() => undefined);
    return collected;
  }

  async #measured(): Promise<Collected> {
    const from = this.#clock.monotonic();
    try {
      return new Collected(await this.#gather());
    } finally {
      const until = this.#clock.monotonic();
      this.#restsUntil = until + Math.min((until - from) * serverLimits.pauseOfMetrics.value, longestPause);
    }
  }
}
