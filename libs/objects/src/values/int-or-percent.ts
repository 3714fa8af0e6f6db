/** IntOrString fields that hold a count or a percentage of another count (partition, maxUnavailable, maxSurge, ...). */

/** As on the wire: a whole number, or a text such as `20%` or `33.4%`. */
export type IntOrPercent = number | string;

/** A percentage is exact: `mantissa / 10^decimals` percent. */
export type ParsedIntOrPercent =
  | { readonly kind: 'Int'; readonly value: number }
  | { readonly kind: 'Percent'; readonly mantissa: bigint; readonly decimals: number }
  | { readonly kind: 'Illegal'; readonly why: string };

/** The strictness with which a percentage is read. */
export interface IntOrPercentOptions {
  /** Whether `33.4%` is legal; true by default. */
  readonly fractions?: boolean;
}

/** The rounding of a percentage that results in a fraction: `up` to the next whole number, `down` to the previous one. */
export type Rounding = 'up' | 'down';

/** The result of resolving an {@link IntOrPercent} against a total. */
export type Scaled = { readonly kind: 'Scaled'; readonly value: number } | { readonly kind: 'Illegal'; readonly why: string };

const wholePercent = /^\+?(\d{1,18})%$/;
/** As Go reads a number: `.5`, `5.` and `1e1` are valid. */
const decimalPercent = /^\+?(?=\.?\d)(\d{0,18})(?:\.(\d{0,18}))?(?:[eE]([+-]?\d{1,2}))?%$/;

const illegal = (why: string): { readonly kind: 'Illegal'; readonly why: string } => ({ kind: 'Illegal', why });

/**
 * Reads a value of unknown origin. Numbers are whole and may be negative (the field's rule decides whether that is allowed). A text is a percentage
 * without a minus, never a bare number such as `"5"`.
 *
 * @remarks Never throws.
 */
export function parseIntOrPercent(value: unknown, options: IntOrPercentOptions = {}): ParsedIntOrPercent {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { kind: 'Int', value } : illegal('must be an integer or a percentage (e.g. 1 or "20%")');
  }
  if (typeof value !== 'string') return illegal('must be an integer or a percentage (e.g. 1 or "20%")');
  const fractions = options.fractions ?? true;
  const parts = (fractions ? decimalPercent : wholePercent).exec(value);
  if (parts === null) return illegal(`must be an integer or a ${fractions ? '' : 'whole '}percentage (e.g. 1 or "20%")`);
  const [, whole = '', decimals = '', exponent = '0'] = parts;
  const places = decimals.length - Number(exponent);
  const mantissa = BigInt(`0${whole}${decimals}`) * 10n ** BigInt(Math.max(-places, 0));
  return { kind: 'Percent', mantissa, decimals: Math.max(places, 0) };
}

/**
 * Resolves a count or percentage against `total` in exact decimal arithmetic: 33.4% of 3 is 2 rounded up and 1 rounded down.
 *
 * @param total a whole number; the 100 percent
 * @returns not clamped: 120% of 4 rounded up is 5, and a negative integer stays unchanged
 * @remarks Never throws; a value that is neither a count nor a percentage is `Illegal`.
 */
export function scaleIntOrPercent(value: unknown, total: number, rounding: Rounding, options: IntOrPercentOptions = {}): Scaled {
  const parsed = parseIntOrPercent(value, options);
  if (parsed.kind === 'Illegal') return parsed;
  if (parsed.kind === 'Int') return { kind: 'Scaled', value: parsed.value };
  const product = parsed.mantissa * BigInt(Math.trunc(total));
  const divisor = 100n * 10n ** BigInt(parsed.decimals);
  return { kind: 'Scaled', value: Number(divide(product, divisor, rounding)) };
}

function divide(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const quotient = dividend / divisor;
  const rest = dividend % divisor;
  if (rounding === 'up') return rest > 0n ? quotient + 1n : quotient;
  return rest < 0n ? quotient - 1n : quotient;
}

/** Returns {@link scaleIntOrPercent} with a fallback for an absent or illegal field. Never throws. */
export function scaleIntOrPercentOr(fallback: number, value: unknown, total: number, rounding: Rounding): number {
  const scaled = scaleIntOrPercent(value, total, rounding);
  return scaled.kind === 'Scaled' ? scaled.value : fallback;
}

/** Parses a decimal int32 as Go's `strconv.ParseInt(text, 10, 32)` does. */
export function parseInt32(text: string): number | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= -2147483648 && value <= 2147483647 ? value + 0 : undefined;
}
