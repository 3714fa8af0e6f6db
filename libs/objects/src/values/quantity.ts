/** Kubernetes quantities (`100m`, `1.5Gi`, `2e3`): exact, and formatted as the API server would. */

type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An amount in billionths, the smallest unit of a quantity, and its family of suffixes. */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

const nano = 1_000_000_000n;
const milli = 1_000_000n;
const maxBinary = ((1n << 63n) - 1n) * nano;
/** Bounds the work for hostile texts; far beyond what any resource needs. */
const maxLength = 256;
const maxExponent = 1000;

const powersOfTen: readonly bigint[] = Array.from({ length: 40 }, (_, exponent) => 10n ** BigInt(exponent));
const powerOfTen = (exponent: number): bigint => powersOfTen[exponent] ?? 10n ** BigInt(exponent);

const decimalExponents: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binaryExponents: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const decimalSuffixes = new Map(Object.entries(decimalExponents).map(([suffix, exponent]) => [exponent, suffix]));
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const shape = /^([+-]?)(\d*)(?:\.(\d*))?([A-Za-z]{0,2}|[eE][+-]?\d{1,10})$/;

interface Suffix {
  readonly format: QuantityFormat;
  readonly base: 2n | 10n;
  readonly exponent: number;
}

function parseSuffix(text: string): Suffix | undefined {
  if (Object.hasOwn(decimalExponents, text)) return { format: 'DecimalSI', base: 10n, exponent: decimalExponents[text] ?? 0 };
  if (Object.hasOwn(binaryExponents, text)) return { format: 'BinarySI', base: 2n, exponent: binaryExponents[text] ?? 0 };
  if (!/^[eE][+-]?\d+$/.test(text)) return undefined;
  const exponent = Number(text.slice(1));
  return Math.abs(exponent) <= maxExponent ? { format: 'DecimalExponent', base: 10n, exponent } : undefined;
}

/** Divides and rounds away from zero. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  if (dividend % divisor === 0n) return quotient;
  return dividend > 0n ? quotient + 1n : quotient - 1n;
}

/**
 * Parses a quantity. Fractions smaller than a billionth are rounded up (away from zero), and a binary amount is capped at 2^63 - 1.
 *
 * @param text as on the wire: a string, or a bare JSON number
 * @returns undefined when it is no quantity (or an absurd one: over 256 characters, an exponent over 1000)
 */
export function parseQuantity(text: unknown): Quantity | undefined {
  if (typeof text === 'number' || typeof text === 'bigint') return parseText(String(text));
  return typeof text === 'string' ? parseText(text) : undefined;
}

function parseText(text: string): Quantity | undefined {
  const parts = text.length > maxLength ? null : shape.exec(text);
  const [, sign, whole, fraction = '', suffixText = ''] = parts ?? [];
  const suffix = parseSuffix(suffixText);
  if (whole === undefined || suffix === undefined) return undefined;
  if (whole + fraction === '' && !isZeroWithoutDigits(text, suffix)) return undefined;
  const sized = sizedIn(suffix, whole, fraction);
  return { ...sized, nanos: sign === '-' ? -sized.nanos : sized.nanos };
}

function sizedIn(suffix: Suffix, whole: string, fraction: string): Quantity {
  const nanos = limited(scaled(BigInt(whole + fraction), fraction.length, suffix), suffix.format);
  const isSmall = nanos > 0n && nanos < nano;
  // A binary fraction of one is decimal from the start, because it cannot be exact in binary suffixes.
  const format = suffix.format === 'BinarySI' && isSmall ? 'DecimalSI' : suffix.format;
  return { nanos, format };
}

/**
 * Returns whether the text is zero without digits: Kubernetes reads a sign, a point or a suffix alone as zero, except for the two suffixes that its
 * fast path never reads.
 */
const isZeroWithoutDigits = (text: string, { base, exponent }: Suffix): boolean => text !== '' && (base === 10n || exponent < 50);

function scaled(digits: bigint, fractionDigits: number, { base, exponent }: Suffix): bigint {
  if (base === 2n) return divideUp(digits * nano * (1n << BigInt(exponent)), powerOfTen(fractionDigits));
  const shift = 9 + exponent - fractionDigits;
  return shift >= 0 ? digits * powerOfTen(shift) : divideUp(digits, powerOfTen(-shift));
}

const limited = (nanos: bigint, format: QuantityFormat): bigint => (format === 'BinarySI' && nanos > maxBinary ? maxBinary : nanos);

/** Returns the canonical form: no fraction, the largest suffix of the family that keeps the amount exact. */
export function formatQuantity(quantity: Quantity): string {
  const { nanos, format } = quantity;
  if (nanos === 0n) return '0';
  if (format === 'BinarySI' && nanos % nano === 0n && !isBelow1024(nanos)) return formatBinary(nanos / nano);
  return formatDecimal(nanos, format);
}

const isBelow1024 = (nanos: bigint): boolean => nanos > -1024n * nano && nanos < 1024n * nano;

function formatBinary(value: bigint): string {
  let rest = value;
  let power = 0;
  while (power < binarySuffixes.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    power += 1;
  }
  return `${rest.toString()}${binarySuffixes[power] ?? ''}`;
}

function formatDecimal(nanos: bigint, format: QuantityFormat): string {
  let rest = nanos;
  let exponent = -9;
  while (rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  const suffix = format === 'DecimalExponent' ? undefined : decimalSuffixes.get(exponent);
  if (suffix !== undefined) return `${rest.toString()}${suffix}`;
  return exponent === 0 ? rest.toString() : `${rest.toString()}e${String(exponent)}`;
}

/** Texts that are obviously canonical, as nearly all are: no extra digit, and none for a larger suffix. */
const plainText = /^[1-9]\d{0,2}(?:[mkMGTPE]|[KMGTP]i)?$/;
const isPlain = (text: unknown): text is string => typeof text === 'string' && plainText.test(text);

/**
 * Returns the canonical form of the amount of a text, as {@link formatQuantity} writes it.
 *
 * @returns undefined when it is no quantity
 */
export function formatQuantityText(text: unknown): string | undefined {
  if (isPlain(text)) return text;
  const quantity = parseQuantity(text);
  return quantity === undefined ? undefined : formatQuantity(quantity);
}

/** More digits than this exceed the machine's integers, and the text is read exactly instead. */
const maxFastDigits = 18;

/** Returns whether the digits of a decimal amount count as canonical unchanged: a suffix for their last digit exists, and there are no extra ones. */
function isKeptDecimal(whole: string, fraction: string, exponent: number): boolean {
  const digits = (whole === '' ? '0' : whole) + fraction;
  const scale = exponent - fraction.length;
  return digits.length <= maxFastDigits && scale >= -9 && scale % 3 === 0 && !digits.startsWith('0') && !digits.endsWith('000');
}

/** Returns the same for a binary amount: whole, small enough for its suffix, and no multiple of 8 (a cheap substitute for 1024). */
const isKeptBinary = (whole: string, fraction: string, exponent: number): boolean =>
  fraction === '' && whole.length <= 14 - Math.trunc(exponent * 0.3) && Number(whole.slice(-3)) % 8 !== 0;

/** Returns whether Go writes the text as it read it, without computing the canonical form: `2.500`, `+1`, `001Gi`. */
function isKeptText(text: string): boolean {
  const [, , digits = '', fraction = '', suffixText = ''] = shape.exec(text) ?? [];
  const suffix = parseSuffix(suffixText);
  if (suffix === undefined) return false;
  const whole = digits.replace(/^0+/, '');
  return suffix.base === 2n ? isKeptBinary(whole, fraction, suffix.exponent) : isKeptDecimal(whole, fraction, suffix.exponent);
}

/**
 * Returns the text that Kubernetes writes for a quantity that it has read: the canonical form, or the text itself when Go's fast path accepts it as
 * canonical, which passes `2.500` and `01`.
 *
 * @returns undefined when it is no quantity
 * @see spec/inplace-update.md 3.2
 */
export function canonicalQuantity(text: unknown): string | undefined {
  if (isPlain(text)) return text;
  const quantity = parseQuantity(text);
  if (quantity === undefined) return undefined;
  const written = String(text);
  return isKeptText(written) ? written : formatQuantity(quantity);
}

/** Rounds up (away from zero) to thousandths, as defaulting does with the resources of templates. @see spec/cloneset.md 4.2 */
export const roundUpToMilli = (quantity: Quantity): Quantity => ({
  nanos: divideUp(quantity.nanos, milli) * milli,
  format: quantity.format,
});

/** Compares by value, whatever the formats: negative, 0 or positive. */
export const compareQuantities = (a: Quantity, b: Quantity): number => (a.nanos === b.nanos ? 0 : a.nanos < b.nanos ? -1 : 1);

/** Returns whether two texts are the same amount. Texts that are no quantities are equal only when identical. */
export function equalQuantities(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  return left !== undefined && right !== undefined && left.nanos === right.nanos;
}

/** Returns the sum in the format of `a`, or of `b` when `a` is zero. */
export const addQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nanos: a.nanos + b.nanos,
  format: a.nanos === 0n ? b.format : a.format,
});

/** Returns the difference in the format of `a`, or of `b` when `a` is zero. */
export const subtractQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nanos: a.nanos - b.nanos,
  format: a.nanos === 0n ? b.format : a.format,
});

/** Returns units, rounded up (away from zero): bytes, whole cores. */
export const quantityValue = (quantity: Quantity): bigint => divideUp(quantity.nanos, nano);

/** Returns thousandths, rounded up (away from zero): millicores. */
export const quantityMilliValue = (quantity: Quantity): bigint => divideUp(quantity.nanos, milli);

/** Returns the nearest number, for metrics and shares; not for comparing. */
export function quantityToNumber(quantity: Quantity): number {
  const whole = quantity.nanos / nano;
  return Number(whole) + Number(quantity.nanos - whole * nano) / 1e9;
}
