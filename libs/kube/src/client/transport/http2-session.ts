/**
 * One HTTP/2 connection with the state that Node's session lacks: how many streams are free, whether it may open new ones, and whether the peer is
 * still alive.
 *
 * States: open -> (GOAWAY, or retired by the pool) draining: no new streams, ends with its last one -> closed.
 * A PING is sent when nothing arrived for an interval. Without an answer within the timeout, the session and all of its streams are destroyed.
 */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2';
import type { Socket } from 'node:net';
import { asError } from '../../as-error.ts';
import { isOverdue, type Cancellation } from './cancellation.ts';
import type { Reach } from './retry-policy.ts';
import { TransportError, type WireRequest, type WireResponse } from './transport.ts';

export interface SessionLimits {
  readonly windowBytes: number;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** Maximum of streams, whatever the peer allows. */
  readonly maxStreams: number;
}

/** Window of one stream: large enough that a list never waits, small enough that a slow reader slows the server down. */
const STREAM_WINDOW_BYTES = 4 * 1024 * 1024;
const FIRST_SETTINGS_TIMEOUT_MS = 10_000;
/** Stream ids are never reused in a session, and a client has 2^30 of them. After that another session is needed. */
const OUT_OF_STREAM_IDS = 'ERR_HTTP2_OUT_OF_STREAMS';

/** The callbacks of a session to its pool. */
export interface SessionNews {
  /** Called when a stream has ended, or when the session can no longer be used. */
  onRoom(): void;
  /**
   * Called when a call was abandoned because its answer took too long, and nothing arrived on its connection since it was sent.
   *
   * @param sentAt when, in monotonic milliseconds
   */
  onSilence(sentAt: number): void;
  /** As {@link onSilence}, but something arrived since the call was sent: the connection worked then, and nothing more is known. */
  onDoubt(sentAt: number): void;
}

export class Http2Session {
  readonly generation: number;
  /** Monotonic milliseconds. */
  readonly openedAt = performance.now();
  readonly #session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #limits: SessionLimits;
  readonly #news: SessionNews;
  #active = 0;
  #draining = false;
  #inDoubt = false;
  #idleSince = performance.now();
  #pinger: NodeJS.Timeout | undefined;
  #bytesSeen = 0;

  constructor(
    opened: { readonly session: ClientHttp2Session; readonly socket: Socket; readonly generation: number },
    limits: SessionLimits,
    news: SessionNews,
  ) {
    this.#session = opened.session;
    this.#socket = opened.socket;
    this.generation = opened.generation;
    this.#limits = limits;
    this.#news = news;
    this.#session.on('goaway', () => this.retire());
    this.#session.on('close', () => this.#closed());
    this.#pinger = setInterval(() => this.#checkAlive(), limits.pingIntervalMs).unref();
  }

  /** False once it is draining or closed. */
  get usable(): boolean {
    return !this.#draining && !this.#session.closed && !this.#session.destroyed;
  }

  get hasRoom(): boolean {
    return (
      this.usable &&
      !this.#inDoubt &&
      this.#active < Math.min(this.#limits.maxStreams, this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY)
    );
  }

  /** True when nothing is in progress any more; a draining session is not closed yet. */
  get closed(): boolean {
    return this.#session.destroyed;
  }

  /** Milliseconds without any stream; 0 while there are streams. */
  get idleMs(): number {
    return this.#active > 0 ? 0 : performance.now() - this.#idleSince;
  }

  /** Opens no new streams and closes when the last one has ended. */
  retire(): void {
    if (this.#draining) return;
    this.#draining = true;
    if (!this.#session.closed) this.#session.close();
    this.#news.onRoom();
  }

  /** Opens no new streams until a PING is answered, because the connection may be dead. */
  doubt(): void {
    // Its PING is not answered yet.
    if (this.closed || this.#inDoubt) return;
    this.#inDoubt = true;
    this.#ping();
  }

  /**
   * Opens no new streams, because the connection may be dead. It closes immediately when it has no stream, otherwise with the last one, or when a
   * PING is not answered.
   */
  suspect(): void {
    if (this.closed) return;
    this.retire();
    if (this.#active === 0) this.destroy(new Error('the connection was silent'));
    else this.doubt();
  }

  /** Breaks every stream with an error. Without an error Node would end them as if the server had. */
  destroy(why: Error): void {
    this.#draining = true;
    this.#session.destroy(why, constants.NGHTTP2_CANCEL);
  }

  send(request: WireRequest, cancel: Cancellation): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      let stream: ClientHttp2Stream;
      try {
        request.beforeSend();
      } catch (error) {
        reject(asError(error));
        return;
      }
      try {
        stream = this.#open(request);
      } catch (error) {
        reject(new TransportError('NotSent', asError(error)));
        return;
      }
      let failure: Error | undefined;
      const [sentAt, bytesBefore] = [performance.now(), this.#socket.bytesRead];
      cancel.onCancel((reason) => {
        failure = asError(reason);
        stream.close(constants.NGHTTP2_CANCEL);
        stream.destroy(failure);
        // Now, not when the stream has ended: the caller retries immediately.
        if (!isOverdue(reason)) return;
        if (this.#socket.bytesRead === bytesBefore) this.#news.onSilence(sentAt);
        else this.#news.onDoubt(sentAt);
      });
      stream.once('response', (headers) => resolve(responseOf(headers, stream)));
      stream.on('error', (error: NodeJS.ErrnoException) => {
        failure ??= error;
        if (error.code === OUT_OF_STREAM_IDS) this.retire();
      });
      stream.once('close', () => {
        this.#streamEnded();
        reject(new TransportError(reachOf(stream), failure ?? new Error('the server reset the stream before it answered')));
      });
    });
  }

  #open(request: WireRequest): ClientHttp2Stream {
    const headers: OutgoingHttpHeaders = { ':method': request.method, ':path': request.path, ...(request.headers as OutgoingHttpHeaders) };
    const stream = this.#session.request(headers, { endStream: request.body === undefined });
    this.#active++;
    if (request.body !== undefined) stream.end(request.body);
    return stream;
  }

  #streamEnded(): void {
    this.#active--;
    if (this.#active === 0) this.#idleSince = performance.now();
    if (this.#active === 0 && this.#inDoubt && this.#draining) this.destroy(new Error('the connection was silent'));
    this.#news.onRoom();
  }

  #checkAlive(): void {
    // Node does not report the end of every session.
    if (this.closed) return this.#closed();
    if (this.#socket.bytesRead !== this.#bytesSeen) {
      this.#bytesSeen = this.#socket.bytesRead;
      return;
    }
    this.#ping();
  }

  #ping(): void {
    const late = setTimeout(() => this.#session.destroy(new Error('the server did not answer a PING in time')), this.#limits.pingTimeoutMs);
    late.unref();
    const answered = (): void => {
      clearTimeout(late);
      this.#bytesSeen = this.#socket.bytesRead;
      if (!this.#inDoubt) return;
      this.#inDoubt = false;
      this.#news.onRoom();
    };
    try {
      if (!this.#session.ping(answered)) clearTimeout(late);
    } catch {
      clearTimeout(late);
    }
  }

  #closed(): void {
    clearInterval(this.#pinger);
    this.#draining = true;
    this.#news.onRoom();
  }
}

const responseOf = (headers: IncomingHttpHeaders & { ':status'?: number | undefined }, body: ClientHttp2Stream): WireResponse => ({
  status: headers[':status'] ?? 0,
  retryAfter: headers['retry-after'],
  body,
  isWhole: () => !body.aborted && (body.rstCode ?? constants.NGHTTP2_NO_ERROR) === constants.NGHTTP2_NO_ERROR,
});

/** Returns how far a request got. A stream that the peer refused, or that never had an id, was certainly not processed. */
function reachOf(stream: ClientHttp2Stream): Reach {
  if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) return 'Refused';
  return stream.id === undefined ? 'NotSent' : 'Unknown';
}

/** Starts HTTP/2 over an open TLS connection. Resolves when the peer's SETTINGS have arrived, so that its stream limit is known. */
export async function startHttp2(socket: Socket, origin: string, windowBytes: number): Promise<ClientHttp2Session> {
  const session = connect(origin, {
    createConnection: () => socket,
    settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
  });
  // Without a listener, an error of the session would end the process. Each stream receives it too.
  session.on('error', () => undefined);
  try {
    await firstSettings(session, socket);
  } catch (error) {
    session.destroy();
    socket.destroy();
    throw error;
  }
  session.setLocalWindowSize(windowBytes);
  return session;
}

/**
 * Waits for the first SETTINGS. It also listens to the socket: when TLS fails after its handshake (a certificate refused), Node's session ends
 * without an error.
 */
function firstSettings(session: ClientHttp2Session, socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error?: Error): void => {
      end();
      reject(error ?? new Error('the server closed the connection before it sent its settings'));
    };
    const closed = (): void => failed();
    const timer = setTimeout(() => failed(new Error('the server sent no HTTP/2 settings')), FIRST_SETTINGS_TIMEOUT_MS);
    const end = (): void => {
      clearTimeout(timer);
      for (const source of [session, socket]) source.off('error', failed).off('close', closed);
    };
    for (const source of [session, socket]) source.once('error', failed).once('close', closed);
    session.once('remoteSettings', () => {
      end();
      resolve();
    });
  });
}
