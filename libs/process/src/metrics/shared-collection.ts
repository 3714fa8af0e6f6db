/** Collects metrics once for all requests of a time, and pauses in between, so that clients that ask permanently use a bounded share of a core. */
import { gzip } from 'node:zlib';
import { promisify } from 'node:util';
import { SystemClock, type Clock } from '@kruise/kube';
import { milliseconds, serverLimits } from '@kruise/objects';

const compress = promisify(gzip);

/** The longest pause: a source that is slow because it waits uses no CPU meanwhile. */
const longestPause = 1000;

/** What was collected; every answer sends the same bytes. */
export class Collected {
  readonly plain: Buffer;
  #compressed: Promise<Buffer> | undefined;

  constructor(text: string) {
    this.plain = Buffer.from(text);
  }

  /** Compressed once, when it is first asked for. */
  compressed(): Promise<Buffer> {
    return (this.#compressed ??= compress(this.plain));
  }
}

export class SharedCollection {
  readonly #gather: () => Promise<string>;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Has not begun. */
  #next: Promise<Collected> | undefined;
  /** Ends when the last one has ended, well or not. */
  #last: Promise<unknown> = Promise.resolve();
  #restsUntil = 0;

  constructor(gather: () => Promise<string>, clock: Pick<Clock, 'monotonic' | 'sleep'> = new SystemClock()) {
    this.#gather = gather;
    this.#clock = clock;
  }

  /**
   * What is collected after the call: never a number from before it.
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
