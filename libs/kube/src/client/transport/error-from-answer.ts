/** The one place that converts an answer of the API server, or the lack of one, to an {@link ApiError}. */
import { types } from 'node:util';
import { milliseconds, seconds, type Milliseconds } from '@kruise/objects';
import { ApiError, type Failure, type FieldCause, type StatusDetails } from '../../api-error.ts';

/** The fields of metav1.Status that are read. In an answer that a proxy created, every field may be missing or of a wrong type. */
interface StatusBody {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[];
  };
}

export interface Answer {
  readonly code: number;
  /** The parsed body when it is JSON, otherwise its text (an HTML page of a proxy, or ''). */
  readonly body: unknown;
  /** Value of the Retry-After header: seconds or an HTTP date. */
  readonly retryAfter?: string | undefined;
  /** The request, for the message: `GET /api/v1/...`. */
  readonly asked: string;
}

const LONGEST_QUOTE = 300;

const isStatus = (body: unknown): body is StatusBody => typeof body === 'object' && body !== null && (body as StatusBody).kind === 'Status';

/**
 * Returns the wait that a server requests.
 *
 * @param header seconds, or an HTTP date (compared with `nowMs`, since the epoch)
 * @returns undefined for an absent or unreadable header; never negative
 */
export function parseRetryAfter(header: string | undefined, nowMs: number = Date.now()): Milliseconds | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  if (/^\s*\d+\s*$/.test(header)) return seconds(Number(header));
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : milliseconds(Math.max(0, at - nowMs));
}

/** Returns the error of an answer whose HTTP code is not a success. */
export function errorFromAnswer(answer: Answer): ApiError {
  const status = isStatus(answer.body) ? answer.body : undefined;
  const reason = typeof status?.reason === 'string' ? status.reason : '';
  const code = answer.code;
  const retryAfter = parseRetryAfter(answer.retryAfter) ?? statusRetryAfter(status);
  const failure = failureOf(code, reason, status, retryAfter);
  const { asked } = answer;
  return new ApiError(messageOf(answer, status), failure, { asked, code, reason, causes: causesOf(status), details: detailsOf(status) });
}

/** Returns the error of a Status object inside a stream (the ERROR event of a watch). */
export function errorFromStatus(status: unknown, asked: string): ApiError {
  const code = isStatus(status) && typeof status.code === 'number' ? status.code : 500;
  return errorFromAnswer({ code, body: status, asked });
}

/** What is known of a call without an answer, beside its cause. */
interface Unanswered {
  /** Of an answer that began and broke off. */
  readonly code?: number | undefined;
  /** Why the attempt before failed, if there was one and the deadline ended the call. */
  readonly earlier?: unknown;
}

/** Returns the error of a call without an answer. `cause` must contain no secret. */
export function unreachable(asked: string, cause: unknown, { code, earlier }: Unanswered = {}): ApiError {
  const answer = code === undefined ? { asked, cause } : { asked, cause, code };
  const before = earlier === undefined ? '' : `; the attempt before it failed: ${describe(earlier)}`;
  return new ApiError(`${asked}: ${describe(cause)}${before}`, { kind: 'Unreachable', cause }, answer);
}

/** Returns the error of a success that is not the requested JSON. */
export const unreadable = (asked: string, code: number, why: string): ApiError =>
  errorFromAnswer({ code, body: `not the requested JSON (${why})`, asked });

/** Returns the error of a call that its own caller aborted. */
export const aborted = (asked: string, cause: unknown): ApiError =>
  new ApiError(`${asked}: aborted`, { kind: 'Aborted' }, { asked, cause });

/** Returns the error of a call that cannot be made, found before anything was sent. */
export const badRequest = (message: string): ApiError => new ApiError(message, { kind: 'BadRequest' });

function describe(cause: unknown): string {
  if (!types.isNativeError(cause)) return String(cause);
  const inner = (cause as Partial<AggregateError>).errors?.[0] as unknown;
  if (cause.message === '' && types.isNativeError(inner)) return inner.message;
  return cause.message;
}

function statusRetryAfter(status: StatusBody | undefined): Milliseconds | undefined {
  const wait = status?.details?.retryAfterSeconds;
  return typeof wait === 'number' && wait > 0 ? seconds(wait) : undefined;
}

/**
 * Reasons that name a case. A Status of an aggregated or older server may omit them; then the code decides. Only 404 is not sufficient: any proxy in
 * between may answer it as well, and callers treat an object that is not found as deleted.
 */
const BY_REASON: Readonly<Record<string, Failure['kind']>> = {
  NotFound: 'NotFound',
  AlreadyExists: 'AlreadyExists',
  Conflict: 'Conflict',
  Gone: 'Gone',
  Expired: 'Gone',
  Forbidden: 'Forbidden',
  Unauthorized: 'Unauthorized',
  UnsupportedMediaType: 'UnsupportedMediaType',
  MethodNotAllowed: 'MethodNotAllowed',
  Invalid: 'Invalid',
  BadRequest: 'BadRequest',
  TooManyRequests: 'TooManyRequests',
};
const BY_CODE: Readonly<Record<number, Failure['kind']>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  405: 'MethodNotAllowed',
  409: 'Conflict',
  410: 'Gone',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
};

function failureOf(code: number, reason: string, status: StatusBody | undefined, retryAfter: Milliseconds | undefined): Failure {
  const kind = BY_REASON[reason] ?? BY_CODE[code] ?? 'ServerError';
  switch (kind) {
    case 'NotFound':
      return (detailsOf(status)?.name ?? '') === '' ? { kind: 'ServerError', status: code } : { kind };
    case 'Invalid':
      return { kind, causes: causesOf(status) };
    case 'TooManyRequests':
      return { kind, retryAfter: retryAfter ?? milliseconds(0) };
    case 'ServerError':
      return { kind, status: code, ...(retryAfter === undefined ? {} : { retryAfter }) };
    case 'Unreachable':
      return { kind, cause: undefined };
    default:
      return { kind };
  }
}

function causesOf(status: StatusBody | undefined): readonly FieldCause[] {
  const causes = status?.details?.causes;
  if (!Array.isArray(causes)) return [];
  return (causes as NonNullable<NonNullable<StatusBody['details']>['causes']>).map((cause) => ({
    field: cause.field ?? '',
    reason: cause.reason ?? '',
    message: cause.message ?? '',
  }));
}

function detailsOf(status: StatusBody | undefined): StatusDetails | undefined {
  const details = status?.details ?? undefined;
  if (details === undefined) return undefined;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { name: text(details.name), group: text(details.group), kind: text(details.kind), uid: text(details.uid) };
}

function messageOf(answer: Answer, status: StatusBody | undefined): string {
  const { asked, code, body } = answer;
  if (typeof status?.message === 'string' && status.message !== '') return `${asked}: ${status.message}`;
  const text = typeof body === 'string' ? plainText(body) : '';
  return text === '' ? `${asked}: the server answered ${code} without a message` : `${asked}: the server answered ${code}: ${text}`;
}

/** Returns the words of an HTML page or a text, in one line and not too long. */
function plainText(body: string): string {
  const words = body
    .replace(/<(style|script)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > LONGEST_QUOTE ? `${words.slice(0, LONGEST_QUOTE)}...` : words;
}
