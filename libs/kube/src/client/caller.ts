/**
 * One call from beginning to end: rate limit, credentials, attempts, the reaction to a failure, and the ApiError when nothing succeeds.
 *
 * waiting -> attempt -> (answer) read -> done
 *              |-> 401: new credentials, once -> attempt
 *              |-> no answer, or throttled: see retry-policy.ts -> sleep -> attempt
 *              `-> ApiError
 */
import { ApiError } from '../api-error.ts';
import type { CallOptions } from './client.ts';
import type { Credentials } from '../config/credentials.ts';
import { Cancellation } from './transport/cancellation.ts';
import { aborted, errorFromAnswer, parseRetryAfter, unreachable } from './transport/error-from-answer.ts';
import { parseJson } from './bodies/parse-json.ts';
import type { RateLimit } from './rate-limit.ts';
import { readBody } from './bodies/read-body.ts';
import type { UrlPath } from './transport/resource-path.ts';
import { retryAfterFailure, type FailedAttempt } from './transport/retry-policy.ts';
import { TransportError, type Transport, type WireRequest, type WireResponse } from './transport/transport.ts';

/** The result of one attempt, for metrics. */
export interface RequestRecord {
  /** HTTP method. */
  readonly method: string;
  /** Host and port of the server. */
  readonly host: string;
  /** HTTP code, undefined when there was no answer. */
  readonly code: number | undefined;
  /** Time until the head of the answer had arrived. */
  readonly durationMs: number;
}

export interface CallSpec {
  readonly method: string;
  readonly path: UrlPath;
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a 429 with Retry-After is waited out. An eviction returns it to its caller instead. */
  readonly obeyThrottling?: boolean;
  /** @see CallOptions.beforeSend */
  readonly beforeSend?: () => void;
}

export interface CallerParts {
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly host: string;
  readonly rateLimit: RateLimit | undefined;
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
}

/** Thrown by a reader whose input must not be read from the beginning again, because some of it was passed on. */
export class Unrepeatable extends Error {
  override readonly name = 'Unrepeatable';
}

/** What to do after one failed attempt. */
type Verdict = { readonly kind: 'Again'; readonly waitMs: number } | { readonly kind: 'GiveUp'; readonly error: ApiError };

interface Progress {
  attempts: number;
  renewedCredentials: boolean;
  /** @see Credentials.version */
  credentialsVersion: number;
  /** Why the last attempt failed, if it has ended. */
  failedBy?: unknown;
}

export class Caller {
  readonly #parts: CallerParts;
  readonly #transport: Transport;

  constructor(parts: CallerParts, transport: Transport) {
    this.#parts = parts;
    this.#transport = transport;
  }

  /** Makes the call and passes its successful answer to `read`. Rejects only with {@link ApiError}. */
  async call<T>(
    spec: CallSpec,
    options: CallOptions & { readonly timeoutMs: number },
    read: (answer: WireResponse) => Promise<T>,
  ): Promise<T> {
    const cancel = new Cancellation(options.signal, options.timeoutMs);
    try {
      return await this.attempt(options.beforeSend === undefined ? spec : { ...spec, beforeSend: options.beforeSend }, cancel, read);
    } finally {
      cancel.dispose();
    }
  }

  /** Makes a call as {@link call} does, with the caller's own cancellation, which remains active for what `read` returns. */
  async attempt<T>(spec: CallSpec, cancel: Cancellation, read: (answer: WireResponse) => Promise<T>): Promise<T> {
    const progress: Progress = { attempts: 0, renewedCredentials: false, credentialsVersion: 0 };
    for (;;) {
      progress.attempts++;
      const verdict = await this.#attemptOnce(spec, cancel, { read, progress });
      if ('result' in verdict) return verdict.result;
      if (verdict.kind === 'GiveUp') throw verdict.error;
      if (verdict.waitMs > 0) await this.#sleep(verdict.waitMs, spec, { cancel, progress });
    }
  }

  async #sleep(ms: number, spec: CallSpec, call: CallState): Promise<void> {
    try {
      await call.cancel.sleep(ms);
    } catch (error) {
      throw endOf(spec, call, error);
    }
  }

  async #attemptOnce<T>(
    spec: CallSpec,
    cancel: Cancellation,
    how: { readonly read: (answer: WireResponse) => Promise<T>; readonly progress: Progress },
  ): Promise<Verdict | { readonly result: T }> {
    try {
      cancel.assertGoing();
      const answer = await this.#send(spec, cancel, how.progress);
      if (answer.status >= 200 && answer.status < 300) return { result: await how.read(answer) };
      return this.#judgeAnswer(spec, cancel, { answer, body: parseAny(await readBody(answer)), progress: how.progress });
    } catch (error) {
      return judgeFailure(spec, { cancel, progress: how.progress }, error);
    }
  }

  async #send(spec: CallSpec, cancel: Cancellation, progress: Progress): Promise<WireResponse> {
    const { rateLimit, credentials, headers, onRequest, host } = this.#parts;
    if (rateLimit !== undefined) await rateLimit.take(cancel);
    const pending = credentials.authorization();
    const authorization = typeof pending === 'object' ? await cancel.waitFor(pending) : pending;
    progress.credentialsVersion = credentials.version;
    const request: WireRequest = {
      method: spec.method,
      path: spec.path,
      headers: headersOf(headers, spec, authorization),
      body: spec.body,
      beforeSend: () => {
        cancel.assertGoing();
        spec.beforeSend?.();
      },
    };
    if (onRequest === undefined) return await this.#transport.send(request, cancel);
    const begun = performance.now();
    let code: number | undefined;
    try {
      const answer = await this.#transport.send(request, cancel);
      code = answer.status;
      return answer;
    } finally {
      onRequest({ method: spec.method, host, code, durationMs: performance.now() - begun });
    }
  }

  #judgeAnswer(
    spec: CallSpec,
    cancel: Cancellation,
    got: { readonly answer: WireResponse; readonly body: unknown; readonly progress: Progress },
  ): Verdict {
    const { answer, body, progress } = got;
    const code = answer.status;
    if (code === 401 && !progress.renewedCredentials && this.#parts.credentials.forget(progress.credentialsVersion)) {
      progress.renewedCredentials = true;
      return { kind: 'Again', waitMs: 0 };
    }
    const failure: FailedAttempt['failure'] = { kind: 'Answer', code, retryAfter: parseRetryAfter(answer.retryAfter) };
    const waitMs =
      spec.obeyThrottling === false ? undefined : retryAfterFailure(attemptOf(spec, cancel, progress.attempts, failure), Math.random());
    if (waitMs !== undefined) return { kind: 'Again', waitMs };
    return { kind: 'GiveUp', error: errorFromAnswer({ code, body, retryAfter: answer.retryAfter, asked: asked(spec) }) };
  }
}

/** Returns method and path for messages, without the query, which selectors may make long. */
export const asked = (spec: Pick<CallSpec, 'method' | 'path'>): string => `${spec.method} ${spec.path.split('?', 1)[0]}`;

function headersOf(base: CallerParts['headers'], spec: CallSpec, authorization: string | undefined): CallerParts['headers'] {
  const headers: Record<string, string | readonly string[]> = { ...base, ...spec.headers };
  if (authorization !== undefined) headers.authorization = authorization;
  if (spec.contentType !== undefined) headers['content-type'] = spec.contentType;
  if (spec.body !== undefined) headers['content-length'] = String(Buffer.byteLength(spec.body));
  return headers;
}

const attemptOf = (spec: CallSpec, cancel: Cancellation, attempts: number, failure: FailedAttempt['failure']): FailedAttempt => ({
  idempotent: spec.method === 'GET' || spec.method === 'HEAD',
  attempts,
  remainingMs: cancel.remainingMs(),
  failure,
});

/** What ends a call, and how far it is. */
interface CallState {
  readonly cancel: Cancellation;
  readonly progress: Progress;
}

/** Returns the error of a call that was cancelled by its caller or by its deadline. */
function endOf(spec: CallSpec, { cancel, progress }: CallState, error: unknown): ApiError {
  if (cancel.byCaller) return aborted(asked(spec), cancel.reason);
  return cancel.cancelled ? unreachable(asked(spec), cancel.reason, { earlier: progress.failedBy }) : unreachable(asked(spec), error);
}

function judgeFailure(spec: CallSpec, call: CallState, error: unknown): Verdict {
  const { cancel, progress } = call;
  if (error instanceof ApiError) return { kind: 'GiveUp', error };
  if (cancel.cancelled || !(error instanceof TransportError)) return { kind: 'GiveUp', error: endOf(spec, call, error) };
  progress.failedBy = error.cause ?? error;
  const repeatable = !(error.cause instanceof Unrepeatable);
  const waitMs = repeatable
    ? retryAfterFailure(attemptOf(spec, cancel, progress.attempts, { kind: 'NoAnswer', reach: error.reach }), Math.random())
    : undefined;
  return waitMs === undefined ? { kind: 'GiveUp', error: unreachable(asked(spec), progress.failedBy) } : { kind: 'Again', waitMs };
}

/** Returns a body as parsed JSON when it is JSON, otherwise as text. */
export function parseAny(bytes: Buffer): unknown {
  try {
    return parseJson(bytes);
  } catch {
    return bytes.toString('utf8');
  }
}
