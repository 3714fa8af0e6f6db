/**
 * Lets a few responses to `/metrics` be written at a time. Without more, as many clients that do not read would keep all others waiting until
 * their time to read ends. So while a request waits, the response whose client reads least is given up if that is less than a rate.
 */
import { exporterLimits } from '@kruise/objects';
import { FairSlots } from '@kruise/process';

/** How often the progress of responses is compared while a request waits. */
const checkMs = 2000;
/** In `checkMs`. */
const leastBytes = (exporterLimits.scrapeRate.value * checkMs) / 1000;

/** What is used of a ServerResponse. */
interface Response {
  readonly destroyed: boolean;
  /** Whether the client must read before more is written. */
  readonly writableNeedDrain: boolean;
  readonly socket: { readonly bytesWritten: number } | null;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

export class ScrapeSlots {
  readonly #slots = new FairSlots(exporterLimits.scrapes.value);
  /** What is being written, with the bytes that it had sent at the last check. */
  readonly #running = new Map<Response, number | undefined>();
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Calls `write` in a slot.
   *
   * @param address of the client; addresses take turns
   * @throws what `write` throws, or when the client closes the connection before
   */
  async run(address: string, response: Response, write: () => Promise<void>): Promise<void> {
    await this.#take(address, response);
    this.#running.set(response, undefined);
    try {
      await write();
    } finally {
      this.#running.delete(response);
      this.#slots.release();
    }
  }

  async #take(address: string, response: Response): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    if (response.destroyed) left.abort();
    this.#waiting += 1;
    this.#watch();
    try {
      await this.#slots.take([address], left.signal);
    } finally {
      this.#waiting -= 1;
      this.#watch();
    }
  }

  /** Checks as long as a request waits. */
  #watch(): void {
    if (this.#waiting === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined) {
      for (const response of this.#running.keys()) this.#running.set(response, response.socket?.bytesWritten);
      this.#timer = setInterval(() => this.#giveUp(), checkMs).unref();
    }
  }

  /** Closes the slowest responses, as many as requests wait. A response that waits for this process instead of its client is not slow. */
  #giveUp(): void {
    const slow: { readonly response: Response; readonly sent: number }[] = [];
    for (const [response, before] of this.#running) {
      const now = response.socket?.bytesWritten ?? 0;
      this.#running.set(response, now);
      if (before !== undefined && response.writableNeedDrain && now - before < leastBytes) slow.push({ response, sent: now - before });
    }
    for (const { response } of slow.toSorted((a, b) => a.sent - b.sent).slice(0, this.#waiting)) response.destroy();
  }
}
