/** The one class that the client throws, and the one place where an HTTP answer becomes a {@link Failure}. */
import { milliseconds, type Milliseconds, type ResourceType } from '@kruise/objects';

/** One field of a refused object, as in `status.details.causes`. */
export interface FieldCause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** Of which object an answer speaks, as in `status.details`; '' for what it does not say. `kind` is the plural in most answers. */
export interface StatusDetails {
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly uid: string;
}

/**
 * Why a call failed, in the terms that callers decide on.
 * `NotFound`: the server names an object that is not there. A 404 that names none (of a load balancer, of a version that one API server does not serve
 * yet) says nothing of an object, and is a `ServerError`.
 * `Unreachable`: no answer came (connection refused or reset, timeout): the call may or may not have taken effect.
 * `ServerError`: a 5xx, or any other status without a case of its own; `status` is the HTTP code.
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

/** What every failed call throws. Decide by `failure`, never by the message; a call that was aborted has the failure `Aborted`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly failure: Failure;
  /** HTTP code of the answer, undefined when none came. */
  readonly code: number | undefined;
  /** `status.reason` of the answer, '' when it had none. */
  readonly reason: string;
  /** `status.details.causes` of the answer, whatever the failure: a Forbidden may say `NamespaceTerminating` here. */
  readonly causes: readonly FieldCause[];
  /** `status.details` of the answer; undefined when it has none. */
  readonly details: StatusDetails | undefined;

  constructor(
    message: string,
    failure: Failure,
    answer: {
      readonly code?: number;
      readonly reason?: string;
      readonly causes?: readonly FieldCause[];
      readonly details?: StatusDetails | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: answer.cause });
    this.failure = failure;
    this.code = answer.code;
    this.reason = answer.reason ?? '';
    this.causes = answer.causes ?? [];
    this.details = answer.details;
  }
}

/** Whether `error` is an {@link ApiError} whose failure is of one of these kinds. */
export const isFailure = (error: unknown, ...kinds: readonly Failure['kind'][]): error is ApiError =>
  error instanceof ApiError && kinds.includes(error.failure.kind);

/**
 * Whether the API server, or a webhook behind it, refuses the request itself: the same one is refused again until somebody changes an object, a
 * policy or a right. `BadRequest`, `Invalid` and `Forbidden`; a conflict, a missing object and a server that is busy are no refusals.
 */
export const isRefusal = (error: unknown): error is ApiError => isFailure(error, 'BadRequest', 'Invalid', 'Forbidden');

/**
 * Whether the API server says of this very object that it is not there: a Status with the reason NotFound and its name, group and kind. A page of a
 * load balancer, a version that is not served, and a webhook that misses something else are answered with 404 as well.
 */
export const isAbsence = (error: unknown, type: Pick<ResourceType, 'group' | 'kind' | 'plural'>, name: string): error is ApiError => {
  if (!isFailure(error, 'NotFound') || error.reason !== 'NotFound') return false;
  const { details } = error;
  return details?.name === name && details.group === type.group && (details.kind === type.plural || details.kind === type.kind);
};

/**
 * Whether nothing is served at the path of a call that names no object (a list, a group version): 404 in any form, a page of a proxy included.
 */
export const isNotServed = (error: unknown): error is ApiError =>
  isFailure(error, 'NotFound') || (error instanceof ApiError && error.code === 404);

/** How long the server asked to wait before the next try, 0 when it asked for nothing. */
export const askedWait = (error: unknown): Milliseconds =>
  error instanceof ApiError && 'retryAfter' in error.failure ? (error.failure.retryAfter ?? milliseconds(0)) : milliseconds(0);
