/** Decides what a failed list or watch means for the next step. It is the only place of the reflector that examines errors. */
import type { Milliseconds } from '@kruise/objects';
import { ApiError, isFailure } from '../api-error.ts';

/** Thrown for an event that is no object of the kind, or a list without resourceVersion. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** Thrown when the server was silent for longer than it is in normal operation. */
export class Stalled extends Error {
  override readonly name = 'Stalled';
}

/** Thrown for a watch that ended before it showed anything. */
export class EndedEarly extends Error {
  override readonly name = 'EndedEarly';
}

/** Thrown when something other than the watch shows that the server was restored from an older backup. */
export class HistoryInDoubt extends Error {
  override readonly name = 'HistoryInDoubt';
}

export type NextStep =
  /** The position is lost: list again. `atOnce`: the first time without a wait. */
  | { readonly kind: 'Relist'; readonly atOnce: boolean }
  /** The server does not support streaming lists: list in pages from now on. */
  | { readonly kind: 'PagedLists' }
  /** The connection was silent: open the watch again at the same position, without a wait. */
  | { readonly kind: 'Renew' }
  /** Repeat the step after a wait, `atLeast` as long as the server requested. `reached`: whether the server answered at all. */
  | { readonly kind: 'Again'; readonly atLeast: Milliseconds | undefined; readonly reached: boolean };

const unsupported = ['Invalid', 'BadRequest', 'MethodNotAllowed', 'UnsupportedMediaType'] as const;

/** Returns whether the server answered at all. A server that stops in the middle of its answer did. */
export const isAnswered = (error: unknown): boolean => !isFailure(error, 'Unreachable') || error.code !== undefined;

/** Returns whether a success cannot be read: its bytes are not JSON, or not what was requested. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof MalformedAnswer || (error instanceof ApiError && error.failure.kind === 'ServerError' && error.failure.status < 300);

const retryAfterOf = (error: unknown): Milliseconds | undefined => {
  if (!(error instanceof ApiError)) return undefined;
  const { failure } = error;
  return failure.kind === 'TooManyRequests' || failure.kind === 'ServerError' ? failure.retryAfter : undefined;
};

/** Returns the next step after a failure. @param streaming whether the failed step was a streaming list */
export function nextStep(error: unknown, streaming: boolean): NextStep {
  if (isFailure(error, 'Gone') || error instanceof HistoryInDoubt) return { kind: 'Relist', atOnce: true };
  if (isUnreadable(error)) return { kind: 'Relist', atOnce: false };
  if (streaming && isFailure(error, ...unsupported)) return { kind: 'PagedLists' };
  if (!streaming && error instanceof Stalled) return { kind: 'Renew' };
  return { kind: 'Again', atLeast: retryAfterOf(error), reached: isAnswered(error) };
}
