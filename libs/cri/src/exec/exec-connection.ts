/**
 * Implements ExecSync directly over HTTP/2, because the gRPC library returns an answer only when it holds all of it. Parallel calls share one
 * connection, which is closed after the last of them. An aborted call is reset, so that the runtime stops sending and ends the command.
 */
import { connect as connectHttp2, constants, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import { status as codes } from '@grpc/grpc-js';
import { CriError, failureOfCode, type CriFailure } from '../cri-error.ts';
import type { CriMethodDefinition } from '../cri-methods.ts';
import { ExecAnswer, type ExecResult } from './exec-answer.ts';

/** Limits of one call. */
export interface ExecLimits {
  readonly signal: AbortSignal | undefined;
  /** 0 for none. */
  readonly timeoutMs: number;
  /** Bytes kept of each output; the rest is read and dropped. */
  readonly keepBytes: number;
}

/** Node fires a longer timer immediately. */
const longestTimerMs = 2 ** 31 - 1;

const failed = (why: string, failure: CriFailure, cause?: unknown): CriError => new CriError(`ExecSync: ${why}`, failure, cause);

/** Returns a message after its length, as gRPC sends it. */
function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Connections to one socket file. */
export class ExecConnection {
  readonly #socket: string;
  readonly #method: CriMethodDefinition;
  #session: ClientHttp2Session | undefined;
  #calls = 0;

  constructor(socket: string, method: CriMethodDefinition) {
    this.#socket = socket;
    this.#method = method;
  }

  /** Makes one call. @throws CriError and nothing else */
  async call(request: object, limits: ExecLimits): Promise<ExecResult> {
    const message = framed(this.#method.requestSerialize(request));
    this.#calls++;
    let stream: ClientHttp2Stream | undefined;
    try {
      stream = this.#connected().request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: this.#method.path,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      return await answerTo(stream, message, limits);
    } catch (error) {
      throw error instanceof CriError ? error : failed('the connection is lost', { kind: 'Unavailable' }, error);
    } finally {
      stream?.close(constants.NGHTTP2_CANCEL);
      if (--this.#calls === 0) this.#session?.close();
    }
  }

  #connected(): ClientHttp2Session {
    const known = this.#session;
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connectHttp2('http://localhost', { createConnection: () => connect(this.#socket) });
    // Its calls report the error.
    session.on('error', () => undefined);
    session.on('goaway', () => session.close());
    this.#session = session;
    return session;
  }
}

/** Returns the failure in the trailers, or in the headers of an answer without a body. */
function failureIn(headers: IncomingHttpHeaders): CriError | undefined {
  const code = Number(headers['grpc-status']);
  if (code === Number(codes.OK)) return undefined;
  if (!Number.isInteger(code)) return failed('the answer has no status', { kind: 'InvalidAnswer' });
  return failed(textOf(headers['grpc-message']), failureOfCode(code, false));
}

function answerTo(stream: ClientHttp2Stream, message: Buffer, { signal, timeoutMs, keepBytes }: ExecLimits): Promise<ExecResult> {
  const answer = new ExecAnswer(keepBytes);
  const settled = new AbortController();
  return new Promise<ExecResult>((resolve, reject) => {
    let last: IncomingHttpHeaders | undefined;
    const late = (): void => reject(failed('no answer in time', { kind: 'DeadlineExceeded' }));
    const timer = timeoutMs === 0 ? undefined : setTimeout(late, Math.min(timeoutMs, longestTimerMs));
    settled.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    const abort = (): void => reject(failed('the call was aborted', { kind: 'Aborted' }));
    signal?.addEventListener('abort', abort, { once: true, signal: settled.signal });
    stream.on('response', (headers) => {
      if (headers['grpc-status'] !== undefined) last = headers;
    });
    stream.on('trailers', (headers: IncomingHttpHeaders) => {
      last = headers;
    });
    stream.on('data', (chunk: Buffer) => {
      try {
        answer.push(chunk);
      } catch (error) {
        reject(failed('the answer cannot be read', { kind: 'InvalidAnswer' }, error));
      }
    });
    stream.on('error', (error: Error) => reject(failed(error.message, { kind: 'Unavailable' }, error)));
    stream.on('close', () => {
      const failure = last === undefined ? failed('the connection was closed', { kind: 'Unavailable' }) : failureIn(last);
      if (failure !== undefined) return reject(failure);
      try {
        resolve(answer.result());
      } catch (error) {
        reject(failed('the answer cannot be read', { kind: 'InvalidAnswer' }, error));
      }
    });
    if (signal?.aborted === true) abort();
    else stream.end(message);
  }).finally(() => settled.abort());
}
