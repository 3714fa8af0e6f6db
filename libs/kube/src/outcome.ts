/** What one reconcile tells the queue, the only place that knows about retries. */
import type { Milliseconds } from '@kruise/objects';

export type Outcome =
  /** Nothing left to do until something changes. */
  | { readonly kind: 'Settled' }
  /** Look again after this time, or earlier if something changes. */
  | { readonly kind: 'LookAgain'; readonly after: Milliseconds }
  /** Try again with backoff. */
  | { readonly kind: 'Retry'; readonly error: Error }
  /** Logged and counted; waits for a change. */
  | { readonly kind: 'GiveUp'; readonly error: Error };

export const settled: Outcome = { kind: 'Settled' };
export const lookAgain = (after: Milliseconds): Outcome => ({ kind: 'LookAgain', after });
export const retry = (error: Error): Outcome => ({ kind: 'Retry', error });
export const giveUp = (error: Error): Outcome => ({ kind: 'GiveUp', error });
