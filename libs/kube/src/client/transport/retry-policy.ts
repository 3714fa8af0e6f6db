/**
 * Decides which failed attempts of a call the client repeats, and when. Pure.
 *
 * A write is repeated only when it certainly had no effect: it was never sent, the server refused the stream unread, or it answered 429 or 503 with a
 * Retry-After. A GET is repeated also when its answer was lost.
 */
import { milliseconds, type Milliseconds } from '@kruise/objects';

/** The progress of an attempt without an answer. */
export type Reach =
  /** Nothing was written: no connection, or the stream could not be opened. */
  | 'NotSent'
  /** The server reported that it did not process it (REFUSED_STREAM, or a stream after the last one of a GOAWAY). */
  | 'Refused'
  /** It may have taken effect. */
  | 'Unknown';

export interface FailedAttempt {
  readonly idempotent: boolean;
  /** Attempts made so far, this one included. */
  readonly attempts: number;
  /** Time left of the whole call. */
  readonly remainingMs: number;
  readonly failure:
    | { readonly kind: 'NoAnswer'; readonly reach: Reach }
    | { readonly kind: 'Answer'; readonly code: number; readonly retryAfter: Milliseconds | undefined };
}

const MOST_LOST_ATTEMPTS = 5;
const MOST_THROTTLED_ATTEMPTS = 10;
const FIRST_BACKOFF_MS = 50;

/**
 * Returns how long to wait before the next attempt, or undefined to give up.
 *
 * @param random 0 to 1, spreads the waits of many clients
 */
export function retryAfterFailure(attempt: FailedAttempt, random: number): Milliseconds | undefined {
  const wait =
    attempt.failure.kind === 'NoAnswer' ? afterNoAnswer(attempt, attempt.failure.reach, random) : afterAnswer(attempt, attempt.failure);
  return wait === undefined || wait >= attempt.remainingMs ? undefined : milliseconds(wait);
}

function afterNoAnswer(attempt: FailedAttempt, reach: Reach, random: number): number | undefined {
  if (attempt.attempts >= MOST_LOST_ATTEMPTS) return undefined;
  if (reach === 'Unknown' && !attempt.idempotent) return undefined;
  return FIRST_BACKOFF_MS * 2 ** (attempt.attempts - 1) * (0.5 + random / 2);
}

function afterAnswer(
  attempt: FailedAttempt,
  answer: { readonly code: number; readonly retryAfter: Milliseconds | undefined },
): number | undefined {
  if (answer.code !== 429 && answer.code !== 503) return undefined;
  return attempt.attempts >= MOST_THROTTLED_ATTEMPTS ? undefined : answer.retryAfter;
}
