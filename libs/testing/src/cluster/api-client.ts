/**
 * A small Kubernetes client over HTTP/2 for code beside the tests (waiting for readiness, the simulated kubelet): the testing project must not import
 * the real one, which it helps to test.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { type Access } from './credentials/kubeconfig.ts';

/** An answer of 400 or more. `reason` is that of the Status object, '' when there is none. */
export class ApiRequestError extends Error {
  readonly status: number;
  readonly reason: string;
  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** How a request is sent. */
export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Limit of the whole request. Default 2 min: on a busy machine a long list may take one. */
  readonly timeoutMs?: number;
}

/** One line of a watch. */
export interface ApiEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

function failure(status: number, text: string): ApiRequestError {
  try {
    const answer = JSON.parse(text) as { reason?: string; message?: string };
    return new ApiRequestError(status, answer.reason ?? '', answer.message ?? text);
  } catch {
    return new ApiRequestError(status, '', `HTTP ${status}: ${text}`);
  }
}

/** Passes each whole line on. @returns the beginning of the next one */
function handLines(text: string, take: (line: string) => void): string {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    take(text.slice(start, end));
    start = end + 1;
  }
  return text.slice(start);
}

/** Bytes that may be in transit to us, on a stream and on a session as a whole. Node's own 64 KB slow a long list or watch down. */
const windowBytes = 4 * 1024 * 1024;

/** Watches have a session of their own, so that a burst of events and a burst of answers do not wait for each other. */
type Purpose = 'calls' | 'watches';

/** A plain HTTP/2 client for tests, separate from the client under test. Close it, or its connections outlive the test. */
export class ApiClient {
  readonly #access: Access;
  readonly #sessions = new Map<Purpose, ClientHttp2Session>();

  constructor(access: Access) {
    this.#access = access;
  }

  #connected(purpose: Purpose): ClientHttp2Session {
    const open = this.#sessions.get(purpose);
    if (open !== undefined && !open.closed && !open.destroyed) return open;
    const { server, certificateAuthorityPem, credentials } = this.#access;
    const session = connect(server, {
      ca: certificateAuthorityPem,
      cert: credentials.certificatePem,
      key: credentials.keyPem,
      settings: { initialWindowSize: windowBytes },
    });
    session.on('connect', () => session.setLocalWindowSize(windowBytes));
    session.on('error', () => session.destroy()); // each stream reports it to its caller
    session.on('goaway', () => session.close());
    session.unref();
    this.#sessions.set(purpose, session);
    return session;
  }

  /** Sends a request. @returns the parsed JSON, or the text when the answer is not JSON. @throws ApiRequestError, or the connection's error */
  request(path: string, options: RequestOptions = {}): Promise<unknown> {
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const stream = this.#connected('calls').request(
      {
        [constants.HTTP2_HEADER_METHOD]: options.method ?? 'GET',
        [constants.HTTP2_HEADER_PATH]: path,
        accept: 'application/json',
        'user-agent': 'kruise-testing',
        ...(body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
      },
      { endStream: body === undefined },
    );
    const timer = setTimeout(
      () => stream.destroy(new Error(`no answer in time: ${options.method ?? 'GET'} ${path}`)),
      options.timeoutMs ?? 120_000,
    );
    const chunks: Buffer[] = [];
    let status = 0;
    stream.on('response', (headers) => (status = Number(headers[constants.HTTP2_HEADER_STATUS])));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      clearTimeout(timer);
      if (status === 0) return reject(new Error(`connection lost: ${options.method ?? 'GET'} ${path}`));
      const text = Buffer.concat(chunks).toString();
      if (status >= 400) return reject(failure(status, text));
      try {
        resolve(text.startsWith('{') ? JSON.parse(text) : text);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    if (body !== undefined) stream.end(body);
    return promise;
  }

  /**
   * Follows a watch until the server ends it or `signal` aborts it.
   *
   * @param path with its query, `watch=1` included
   * @throws ApiRequestError, the connection's error, or what `onEvent` throws, which ends the watch
   */
  watch(path: string, onEvent: (event: ApiEvent) => void, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stream = this.#connected('watches').request({
      [constants.HTTP2_HEADER_PATH]: path,
      accept: 'application/json',
      'user-agent': 'kruise-testing',
    });
    let [status, rest] = [0, ''];
    const abort = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener('abort', abort, { once: true });
    stream.setEncoding('utf8');
    stream.on('response', (headers) => (status = Number(headers[constants.HTTP2_HEADER_STATUS])));
    stream.on('data', (text: string) => {
      rest += text;
      if (status >= 400) return;
      try {
        rest = handLines(rest, (line) => onEvent(JSON.parse(line) as ApiEvent));
      } catch (error) {
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    stream.on('error', (error) => (signal.aborted ? resolve() : reject(error)));
    stream.on('close', () => {
      signal.removeEventListener('abort', abort);
      if (status >= 400) reject(failure(status, rest));
      else resolve();
    });
    return promise;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.destroy();
    this.#sessions.clear();
  }
}
