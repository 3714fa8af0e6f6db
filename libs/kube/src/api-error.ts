/** The one class that the client throws, and the one place that converts an HTTP answer to a {@link Failure}. */
import { milliseconds, type Milliseconds, type ResourceType } from '@kruise/objects';

/** One field of a refused object, as in `status.details.causes`. */
export interface FieldCause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** The object that an answer refers to, as in `status.details`; '' for a field that it lacks. `kind` is the plural in most answers. */
export interface StatusDetails {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly uid: string;
}

/**
 * Why a call failed, in the terms that callers decide on.
 * `NotFound`: the server names an object that does not exist. A 404 that names none (from a load balancer, or for a version that one API server does
 * not serve yet) says nothing about an object and is a `ServerError`.
 * `Unreachable`: there was no answer (connection refused or reset, timeout). The call may or may not have taken effect.
 * `ServerError`: a 5xx, or any other status without a case of its own. `status` is the HTTP code.
 */
export type Failure =
  | {
      readonly kind:
        'NotFound' | 'AlreadyExists' | 'Conflict' | 'Gone' | 'Forbidden' | 'Unauthorized' | 'UnsupportedMediaType' | 'MethodNotAllowed';
    }
  | { readonly kind: 'Invalid'; readonly causes: readonly FieldCause[] }
  | { readonly kind: 'BadRequest' }
  | { readonly kind: 'TooManyRequests'; readonly retryAfter: Milliseconds }
  | { readonly kind: 'ServerError'; readonly status: number; readonly retryAfter?: Milliseconds }
  | { readonly kind: 'Unreachable'; readonly cause: unknown }
  | { readonly kind: 'Aborted' };

/** The error of every failed call. Decide by `failure`, never by the message. A call that was aborted has the failure `Aborted`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly failure: Failure;
  /** The message without the request: what the server answered, or why it did not. */
  readonly said: string;
  /** HTTP code of the answer, undefined when there was none. */
  readonly code: number | undefined;
  /** `status.reason` of the answer, '' when it had none. */
  readonly reason: string;
  /** `status.details.causes` of the answer, for every failure: a Forbidden may contain `NamespaceTerminating` here. */
  readonly causes: readonly FieldCause[];
  /** `status.details` of the answer; undefined when it has none. */
  readonly details: StatusDetails | undefined;

  constructor(
    message: string,
    failure: Failure,
    answer: {
      /** The request that the message begins with, before `: `. */
      readonly asked?: string;
      readonly code?: number;
      readonly reason?: string;
      readonly causes?: readonly FieldCause[];
      readonly details?: StatusDetails | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: answer.cause });
    this.failure = failure;
    this.said = answer.asked === undefined ? message : message.slice(`${answer.asked}: `.length);
    this.code = answer.code;
    this.reason = answer.reason ?? '';
    this.causes = answer.causes ?? [];
    this.details = answer.details;
  }
}

/** Returns whether `error` is an {@link ApiError} whose failure is of one of these kinds. */
export const isFailure = (error: unknown, ...kinds: readonly Failure['kind'][]): error is ApiError =>
  error instanceof ApiError && kinds.includes(error.failure.kind);

/**
 * Returns whether the API server, or a webhook behind it, refuses the request itself. The same request is refused again until an object, a policy or
 * a permission changes. These are `BadRequest`, `Invalid` and `Forbidden`; a conflict, a missing object and a busy server are not refusals.
 */
export const isRefusal = (error: unknown): error is ApiError => isFailure(error, 'BadRequest', 'Invalid', 'Forbidden');

/**
 * Returns whether the API server reports that this very object does not exist: a Status with the reason NotFound and the object's name, group and
 * kind. A page of a load balancer, a version that is not served and a webhook that misses another object are answered with 404 as well.
 */
export const isAbsence = (error: unknown, type: Pick<ResourceType, 'group' | 'kind' | 'plural'>, name: string): error is ApiError => {
  if (!isFailure(error, 'NotFound') || error.reason !== 'NotFound') return false;
  const { details } = error;
  return details?.name === name && details.group === type.group && (details.kind === type.plural || details.kind === type.kind);
};

/**
 * Returns whether nothing is served at the path of a call that names no object (a list, a group version): 404 in any form, a page of a proxy
 * included.
 */
export const isNotServed = (error: unknown): error is ApiError =>
  isFailure(error, 'NotFound') || (error instanceof ApiError && error.code === 404);

/** Returns how long the server asked to wait before the next attempt, 0 when it did not ask. */
export const askedWait = (error: unknown): Milliseconds =>
  error instanceof ApiError && 'retryAfter' in error.failure ? (error.failure.retryAfter ?? milliseconds(0)) : milliseconds(0);
