/** What a failed list or watch means for the next step: the only place of the reflector that looks at errors. */
import type { Milliseconds } from '@kruise/objects';
import { ApiError, isFailure } from '../api-error.ts';

/** Thrown for an event that is no object of the kind, or a list without resourceVersion. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** Thrown when nothing was heard from the server for longer than it is silent by itself. */
export class Stalled extends Error {
  override readonly name = 'Stalled';
}

/** Thrown for a watch that ended before it showed anything. */
export class EndedEarly extends Error {
  override readonly name = 'EndedEarly';
}

/** Thrown when something else than the watch shows that the server's history was set back. */
export class HistoryInDoubt extends Error {
  override readonly name = 'HistoryInDoubt';
}

export type NextStep =
  /** The position is lost: list again. `atOnce`: the first time without a wait. */
  | { readonly kind: 'Relist'; readonly atOnce: boolean }
  /** The server does not know streaming lists: list by pages from now on. */
  | { readonly kind: 'PagedLists' }
  /** The connection was silent: open the watch again at the same position, without a wait. */
  | { readonly kind: 'Renew' }
  /** The same step again after a wait, `atLeast` as the server asked for; `reached`: whether it answered at all. */
  | { readonly kind: 'Again'; readonly atLeast: Milliseconds | undefined; readonly reached: boolean };

const unsupported = ['Invalid', 'BadRequest', 'MethodNotAllowed', 'UnsupportedMediaType'] as const;

/** Whether the server answered at all; one that breaks off in the middle of its answer did. */
export const isAnswered = (error: unknown): boolean => !isFailure(error, 'Unreachable') || error.code !== undefined;

/** A success that cannot be read: bytes that are no JSON, or not what was asked for. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof MalformedAnswer || (error instanceof ApiError && error.failure.kind === 'ServerError' && error.failure.status < 300);

const retryAfterOf = (error: unknown): Milliseconds | undefined => {
  if (!(error instanceof ApiError)) return undefined;
  const { failure } = error;
  return failure.kind === 'TooManyRequests' || failure.kind === 'ServerError' ? failure.retryAfter : undefined;
};

/** @param streaming whether the failed step was a streaming list */
export function nextStep(error: unknown, streaming: boolean): NextStep {
  if (isFailure(error, 'Gone') || error instanceof HistoryInDoubt) return { kind: 'Relist', atOnce: true };
  if (isUnreadable(error)) return { kind: 'Relist', atOnce: false };
  if (streaming && isFailure(error, ...unsupported)) return { kind: 'PagedLists' };
  if (!streaming && error instanceof Stalled) return { kind: 'Renew' };
  return { kind: 'Again', atLeast: retryAfterOf(error), reached: isAnswered(error) };
}
