/** Points in time and lengths of time as the pure code sees them: plain numbers with a brand, so that they are not mixed up. */

/** Milliseconds since the epoch. */
export type Instant = number & { readonly __brand: 'Instant' };
/** A length of time in milliseconds; may be fractional only where measured. */
export type Milliseconds = number & { readonly __brand: 'Milliseconds' };

/** Milliseconds since the epoch as a point in time; takes any number unchecked. */
export const instant = (epochMilliseconds: number): Instant => epochMilliseconds as Instant;
/** A number as a length of time in milliseconds; takes any number unchecked. */
export const milliseconds = (length: number): Milliseconds => length as Milliseconds;
/** An int64 field may hold more than a number can, and is a bigint then: what is lost here is less than a second in millions of years. */
export const seconds = (length: number): Milliseconds => (Number(length) * 1000) as Milliseconds;

/** The shortest of the lengths that are given; undefined for none. */
export function shortest(lengths: readonly (number | undefined)[]): Milliseconds | undefined {
  let least: number | undefined;
  for (const length of lengths) if (length !== undefined && (least === undefined || length < least)) least = length;
  return least as Milliseconds | undefined;
}

/** When to look again for the first of what is waited for, as a member to spread into a plan; empty for nothing. */
export const earliest = (waits: readonly (number | undefined)[]): { readonly lookAgainAfter?: Milliseconds } => {
  const lookAgainAfter = shortest(waits);
  return lookAgainAfter === undefined ? {} : { lookAgainAfter };
};

/** RFC 3339 in UTC with whole seconds, cut not rounded: how Kubernetes writes `metav1.Time`. */
export const formatTime = (at: Instant): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');

/** RFC 3339 in UTC with six decimals: how Kubernetes writes `metav1.MicroTime` (Lease renewal). */
export const formatMicroTime = (at: Instant): string => new Date(at).toISOString().replace(/Z$/, '000Z');

/** @returns undefined for an absent, null or unreadable time. */
export function parseTime(text: string | null | undefined): Instant | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : (at as Instant);
}
