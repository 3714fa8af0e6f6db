/**
 * The HTTP/2 sessions of one purpose. A request uses the first session with a free stream. When all are full, another session is opened, up to a
 * limit, and callers wait in order. Sessions without streams for a while are closed (except one for requests, to avoid a new handshake). The callers
 * retry failed connections, spaced by a backoff that they share.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asError } from '../../as-error.ts';
import type { Cancellation } from './cancellation.ts';
import type { Endpoint } from './endpoint.ts';
import { Http2Session, startHttp2, type SessionLimits, type SessionNews } from './http2-session.ts';
import { TransportError, type Transport, type WireRequest, type WireResponse } from './transport.ts';

export interface PoolLimits extends SessionLimits {
  readonly maxSessions: number;
  /** A session without streams is closed after this time. */
  readonly idleMs: number;
  /** Number of idle sessions that stay open. */
  readonly keepIdle: number;
}

/** Thrown by {@link Http2Pool.send} when the server supports only HTTP/1.1. */
export class NoHttp2 extends Error {
  override readonly name = 'NoHttp2';
}

interface Waiter {
  readonly resolve: (session: Http2Session) => void;
  readonly reject: (error: Error) => void;
}

const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 2_000;

export class Http2Pool implements Transport {
  readonly #endpoint: Endpoint;
  readonly #limits: PoolLimits;
  readonly #closing = new AbortController();
  #sessions: Http2Session[] = [];
  #waiters: Waiter[] = [];
  #connecting = false;
  #failures = 0;
  #notBefore = 0;
  #sweeper: NodeJS.Timeout | undefined;
  readonly #news: SessionNews = {
    onRoom: () => this.#serve(),
    // When one connection is silent, others that were open before may be dead as well: the next call opens a new one.
    onSilence: (sentAt) => this.#openedBefore(sentAt).forEach((session) => session.suspect()),
    onDoubt: (sentAt) => this.#openedBefore(sentAt).forEach((session) => session.doubt()),
  };

  constructor(endpoint: Endpoint, limits: PoolLimits) {
    this.#endpoint = endpoint;
    this.#limits = limits;
  }

  async send(request: WireRequest, cancel: Cancellation): Promise<WireResponse> {
    const session = this.#free() ?? (await this.#wait(cancel));
    return await session.send(request, cancel);
  }

  close(): void {
    this.#closing.abort(new Error('the client is closed'));
    clearInterval(this.#sweeper);
    for (const session of this.#sessions) session.destroy(new Error('the client is closed'));
    this.#sessions = [];
    this.#rejectAll(new TransportError('NotSent', new Error('the client is closed')));
  }

  #openedBefore(time: number): Http2Session[] {
    return this.#sessions.filter(({ openedAt }) => openedAt <= time);
  }

  #free(): Http2Session | undefined {
    const generation = this.#endpoint.generation;
    for (const session of this.#sessions) {
      if (session.generation !== generation) session.retire();
      else if (session.hasRoom) return session;
    }
    return undefined;
  }

  #wait(cancel: Cancellation): Promise<Http2Session> {
    return new Promise((resolve, reject) => {
      if (this.#closing.signal.aborted) {
        reject(new TransportError('NotSent', new Error('the client is closed')));
        return;
      }
      const waiter: Waiter = { resolve, reject };
      this.#waiters.push(waiter);
      cancel.onCancel((reason) => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(new TransportError('NotSent', asError(reason)));
      });
      this.#serve();
    });
  }

  /** Assigns free streams to waiting callers, one each turn, and opens a session while some still wait. */
  #serve(): void {
    this.#sessions = this.#sessions.filter((session) => !session.closed);
    if (this.#waiters.length === 0) return;
    const session = this.#free();
    if (session !== undefined) {
      this.#waiters.shift()?.resolve(session);
      // The caller opens its stream in a microtask: check again afterwards.
      setImmediate(() => this.#serve());
      return;
    }
    if (!this.#connecting && this.#sessions.filter((open) => open.usable).length < this.#limits.maxSessions) void this.#connect();
  }

  /** Opens a session. Never rejects: the waiting callers receive the failure. */
  async #connect(): Promise<void> {
    this.#connecting = true;
    try {
      // In two steps: the list may have changed when the session is open.
      const session = await this.#open();
      this.#sessions.push(session);
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      const backoff = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (this.#failures - 1));
      this.#notBefore = performance.now() + backoff * (0.5 + Math.random() / 2);
      // With a usable session the others wait for its streams. Without one they have nothing to wait for.
      if (!this.#sessions.some((session) => session.usable)) this.#rejectAll(new TransportError('NotSent', asError(error)));
    } finally {
      this.#connecting = false;
    }
    this.#serve();
  }

  async #open(): Promise<Http2Session> {
    const { signal } = this.#closing;
    const wait = this.#notBefore - performance.now();
    if (wait > 0) await sleep(wait, undefined, { signal });
    const { socket, protocol, generation } = await this.#endpoint.open(['h2', 'http/1.1'], signal);
    if (protocol !== 'h2') {
      socket.destroy();
      throw new NoHttp2('the server supports only HTTP/1.1');
    }
    const session = await startHttp2(socket, this.#endpoint.url.origin, this.#limits.windowBytes);
    const ours = new Http2Session({ session, socket, generation }, this.#limits, this.#news);
    if (signal.aborted) {
      ours.destroy(asError(signal.reason));
      throw asError(signal.reason);
    }
    this.#sweeper ??= setInterval(() => this.#sweep(), this.#limits.idleMs / 2).unref();
    return ours;
  }

  #sweep(): void {
    let idle = 0;
    for (const session of this.#sessions) if (session.idleMs > this.#limits.idleMs && ++idle > this.#limits.keepIdle) session.retire();
    this.#serve();
  }

  #rejectAll(error: Error): void {
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) waiter.reject(error);
  }
}
