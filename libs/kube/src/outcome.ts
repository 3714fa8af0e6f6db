/** What one reconcile returns to the queue, the only place that decides on retries. */
import { milliseconds, type Milliseconds } from '@kruise/objects';
import { isFailure } from './api-error.ts';

/** The result of a reconcile. An error that it throws counts as `Retry`. */
export type Outcome =
  /** Nothing is left to do until something changes. */
  | { readonly kind: 'Settled' }
  /** Reconcile again after this time, or earlier if something changes. */
  | { readonly kind: 'Requeue'; readonly after: Milliseconds }
  /** Retry with backoff, and after `within` at the latest. */
  | { readonly kind: 'Retry'; readonly error: Error; readonly within?: Milliseconds }
  /** The error is logged and counted. The key waits for a change. */
  | { readonly kind: 'GiveUp'; readonly error: Error };

/** Nothing is left to do until something changes. */
export const settled: Outcome = { kind: 'Settled' };
/** Returns that there is nothing to do now and the key is requeued after `after` at the latest. This is no failure and has no backoff. */
export const requeue = (after: Milliseconds): Outcome => ({ kind: 'Requeue', after });
/** Returns the outcome of a pass that left nothing undone. @param after when time alone requires the next pass; undefined when only a change does */
export const requeueOrSettle = (after: Milliseconds | undefined): Outcome => (after === undefined ? settled : requeue(after));
/**
 * Returns that the key is retried with backoff.
 *
 * @param thrown as it was caught
 * @param within when time requires another pass, however long the backoff is by then
 */
export const retry = (thrown: unknown, within?: Milliseconds): Outcome => ({
  kind: 'Retry',
  error: asError(thrown),
  ...(within === undefined ? {} : { within }),
});
/** Returns that the key is not retried: it is reconciled again when the object changes. Used for errors that time alone does not fix. */
export const giveUp = (error: Error): Outcome => ({ kind: 'GiveUp', error });

/** Returns what was thrown as an Error, because any value can be thrown. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Another client wrote first. Its write will arrive as an event, so the next pass decides on it. There is nothing to report. */
export const afterConflict = requeue(milliseconds(20));

/** Returns the outcome of a failed write: soon again when another client wrote first, otherwise with backoff. @param within as for {@link retry} */
export const afterFailure = (error: unknown, within?: Milliseconds): Outcome =>
  isFailure(error, 'Conflict') ? afterConflict : retry(error, within);
