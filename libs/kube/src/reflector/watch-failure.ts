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

const retryAfterOf = (error: unknown): Milliseconds | undefined => {
  if (!(error instanceof ApiError)) return undefined;
  const { failure } = error;
  return failure.kind === 'TooManyRequests' || failure.kind === 'ServerError' ? failure.retryAfter : undefined;
};

/** @param streaming whether the failed step was a streaming list */
export function nextStep(error: unknown, streaming: boolean): NextStep {
  if (isFailure(error, 'Gone')) return { kind: 'Relist', atOnce: true };
  if (error instanceof MalformedAnswer) return { kind: 'Relist', atOnce: false };
  if (streaming && isFailure(error, ...unsupported)) return { kind: 'PagedLists' };
  if (!streaming && error instanceof Stalled) return { kind: 'Renew' };
  return { kind: 'Again', atLeast: retryAfterOf(error), reached: !isFailure(error, 'Unreachable') };
}
