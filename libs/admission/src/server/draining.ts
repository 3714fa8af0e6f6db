/**
 * How the server ends without losing a request: it counts the requests in progress, waits until no new ones arrive, and aborts what is late.
 *
 *   Serving -- drain --> Draining (each answer ends its connection) -- stop --> quiet --> port closed --> idle, or cut off --> ended
 */
import type { Http2SecureServer } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@kruise/kube';
import { milliseconds as asMilliseconds } from '@kruise/objects';
import { Stopping } from './caller.ts';

/** How long no request must have arrived before a draining server closes its port. */
const quietMs = 500;

/** How long the answers to aborted requests may take to be written. */
const cutOffMs = 100;

/** How long the server may take to close when no connection is open. */
const closeMs = 100;

/** Resolves with `done`, or after `milliseconds`. */
async function within(milliseconds: number, done: Promise<void>): Promise<void> {
  const late = new AbortController();
  await Promise.race([done, sleep(Math.max(milliseconds, 0), undefined, { signal: late.signal, ref: false }).catch(() => undefined)]);
  late.abort();
}

export class Draining {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #stopping = new AbortController();
  #inFlight = 0;
  #draining = false;
  /** When the last request arrived, in monotonic time. */
  #lastRequest = -Infinity;
  #drained: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#clock = clock;
  }

  /** Aborts with {@link Stopping} what is not answered in time. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Whether no request is in progress. */
  get isIdle(): boolean {
    return this.#inFlight === 0;
  }

  /** Whether every answer must end its connection. */
  get isDraining(): boolean {
    return this.#draining;
  }

  drain(): void {
    this.#draining = true;
  }

  /** Notes that a request arrived that shows a sender who uses this server; probes do not. */
  arrived(): void {
    this.#lastRequest = this.#clock.monotonic();
  }

  /** Counts a request as in progress until `answer` ends. */
  async during(answer: () => Promise<void>): Promise<void> {
    this.#inFlight++;
    try {
      await answer();
    } finally {
      if (--this.#inFlight === 0) this.#drained?.();
    }
  }

  /** @see WebhookServer.stop */
  async stop(server: Http2SecureServer, graceMs: number): Promise<void> {
    const until = this.#clock.monotonic() + graceMs;
    if (this.#draining) await this.#untilQuiet(until - graceMs / 2);
    const closed = new Promise<void>((done) => server.close(() => done()));
    await this.#untilIdle(until - this.#clock.monotonic());
    this.#stopping.abort(new Stopping('the webhook server stops'));
    // The answers to aborted requests are sent first.
    await this.#untilIdle(cutOffMs);
    (server as unknown as { closeAllConnections?: () => void }).closeAllConnections?.();
    await within(closeMs, closed);
  }

  /** Waits for at most `milliseconds`. */
  async #untilIdle(milliseconds: number): Promise<void> {
    if (!this.isIdle) await within(milliseconds, new Promise<void>((done) => (this.#drained = done)));
  }

  /** Waits until no request arrived for a while. @param until in monotonic time */
  async #untilQuiet(until: number): Promise<void> {
    for (;;) {
      const left = Math.min(this.#lastRequest + quietMs, until) - this.#clock.monotonic();
      if (left <= 0) return;
      await this.#clock.sleep(asMilliseconds(left));
    }
  }
}
