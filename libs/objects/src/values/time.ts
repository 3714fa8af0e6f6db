/** Points in time and durations for pure code: numbers with a brand, so that they are not confused. */

/** Milliseconds since the epoch. */
export type Instant = number & { readonly __brand: 'Instant' };
/** A duration in milliseconds. Only measured ones may be fractional. */
export type Milliseconds = number & { readonly __brand: 'Milliseconds' };

/** Returns milliseconds since the epoch as a point in time. The number is not checked. */
export const instant = (epochMilliseconds: number): Instant => epochMilliseconds as Instant;
/** Returns a number as a duration in milliseconds. The number is not checked. */
export const milliseconds = (length: number): Milliseconds => length as Milliseconds;
/**
 * Returns seconds as milliseconds. An int64 field may exceed a number and is a bigint then; the lost precision is less than a second in millions of
 * years.
 */
export const seconds = (length: number): Milliseconds => (Number(length) * 1000) as Milliseconds;

/** Returns the shortest of the given durations; undefined for none. */
export function shortest(lengths: readonly (number | undefined)[]): Milliseconds | undefined {
  let least: number | undefined;
  for (const length of lengths) if (length !== undefined && (least === undefined || length < least)) least = length;
  return least as Milliseconds | undefined;
}

/** Returns when to requeue for the first of several waits, as a member to spread into a plan; empty for none. */
export const earliest = (waits: readonly (number | undefined)[]): { readonly requeueAfter?: Milliseconds } => {
  const requeueAfter = shortest(waits);
  return requeueAfter === undefined ? {} : { requeueAfter };
};

/** Returns RFC 3339 in UTC with whole seconds, truncated, not rounded, as Kubernetes writes `metav1.Time`. */
export const formatTime = (at: Instant): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** Returns RFC 3339 in UTC with six decimals, as Kubernetes writes `metav1.MicroTime` (Lease renewal). */
export const formatMicroTime = (at: Instant): string => new Date(at).toISOString().replace(/Z$/, '000Z');

/** Parses a time, undefined for an absent, null or unreadable one. */
export function parseTime(text: string | null | undefined): Instant | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : (at as Instant);
}
