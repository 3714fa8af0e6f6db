/** When an object that has finished is to be deleted. */
import { parseTime, type Instant, type Milliseconds } from '@kruise/objects';

/** Whether an object that has finished is kept, for how long still, or is to be deleted now. */
export type Expiry =
  /** It has not finished, or it is kept until somebody deletes it. */
  | { readonly kind: 'Kept' }
  /** More than 0. */
  | { readonly kind: 'Waiting'; readonly left: Milliseconds }
  | { readonly kind: 'Expired'; readonly because: string };

/**
 * @param completionTime as the status holds it; one that cannot be read counts as now, so that the object is not deleted too early
 * @param ttlSeconds seconds that it is kept for after its end; absent: for ever
 */
export function expiryOf(completionTime: string | undefined, ttlSeconds: number | undefined, now: Instant): Expiry {
  if (completionTime === undefined || ttlSeconds === undefined) return { kind: 'Kept' };
  const left = (parseTime(completionTime) ?? now) + ttlSeconds * 1000 - now;
  return left > 0 ? { kind: 'Waiting', left: left as Milliseconds } : { kind: 'Expired', because: `${ttlSeconds} s after its end` };
}
