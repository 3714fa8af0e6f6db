/** What one reconcile returns to the queue, the only place that knows about retries. */
import { milliseconds, type Milliseconds } from '@kruise/objects';
import { isFailure } from './api-error.ts';

/** What a reconcile returns. What it throws counts as `Retry`. */
export type Outcome =
  /** Nothing left to do until something changes. */
  | { readonly kind: 'Settled' }
  /** Look again after this time, or earlier if something changes. */
  | { readonly kind: 'LookAgain'; readonly after: Milliseconds }
  /** Try again with backoff, and after `within` at the latest. */
  | { readonly kind: 'Retry'; readonly error: Error; readonly within?: Milliseconds }
  /** Logged and counted; waits for a change. */
  | { readonly kind: 'GiveUp'; readonly error: Error };

/** Nothing left to do until something changes. */
export const settled: Outcome = { kind: 'Settled' };
/** Nothing to do now; the key comes back `after` at the latest. This is no failure and has no backoff. */
export const lookAgain = (after: Milliseconds): Outcome => ({ kind: 'LookAgain', after });
/** After a pass that left nothing undone. @param after when time alone calls for the next one; undefined when only a change does */
export const nextLook = (after: Milliseconds | undefined): Outcome => (after === undefined ? settled : lookAgain(after));
/**
 * @param thrown as it was caught
 * @param within when time calls for another look, however long the backoff is by then
 */
export const retry = (thrown: unknown, within?: Milliseconds): Outcome => ({
  kind: 'Retry',
  error: asError(thrown),
  ...(within === undefined ? {} : { within }),
});
/** No retry: the object is looked at again when it changes. For errors that time alone does not mend. */
export const giveUp = (error: Error): Outcome => ({ kind: 'GiveUp', error });

/** What was thrown, as an error: anything can be thrown. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Somebody else wrote first: what they wrote is on its way, so the next look decides on it. Nothing to tell anyone about. */
export const afterConflict = lookAgain(milliseconds(20));

/** After a write that failed: soon again when somebody else wrote first, else with backoff. @param within as for {@link retry} */
export const afterFailure = (error: unknown, within?: Milliseconds): Outcome =>
  isFailure(error, 'Conflict') ? afterConflict : retry(error, within);
