/** Decides when a finished object is deleted. */
import { parseTime, type Instant, type Milliseconds } from '@kruise/objects';

/** Whether a finished object is kept, for how long, or is deleted now. */
export type Expiry =
  /** It has not finished, or it is kept until a user deletes it. */
  | { readonly kind: 'Kept' }
  /** More than 0. */
  | { readonly kind: 'Waiting'; readonly left: Milliseconds }
  | { readonly kind: 'Expired'; readonly because: string };

/**
 * Returns the expiry.
 *
 * @param completionTime of the status; an unreadable one counts as now, so that the object is not deleted too early
 * @param ttlSeconds seconds that it is kept after its end; absent: indefinitely
 */
export function expiryOf(completionTime: string | undefined, ttlSeconds: number | undefined, now: Instant): Expiry {
  if (completionTime === undefined || ttlSeconds === undefined) return { kind: 'Kept' };
  const left = (parseTime(completionTime) ?? now) + ttlSeconds * 1000 - now;
  return left > 0 ? { kind: 'Waiting', left: left as Milliseconds } : { kind: 'Expired', because: `${ttlSeconds} s after its end` };
}
