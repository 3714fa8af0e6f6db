/** Durations as Go writes them: `300ms`, `1h30m0s`. */
import type { Milliseconds } from './time.ts';

const nanosOf: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
// Escaped: a bundle keeps the characters of a pattern, and one beyond ASCII makes V8 store the whole text with two bytes a character.
const part = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;
/** Go's own limit, about 292 years. */
const maxNanos = (1n << 63n) - 1n;
const maxLength = 64;

/**
 * Parses a duration.
 *
 * @param text e.g. `1.5h`, `-2m3s`, `0`; no blanks
 * @returns undefined when it is no Go duration
 */
export function parseDuration(text: string): Milliseconds | undefined {
  const rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0 as Milliseconds;
  const nanos = rest.length > 0 && rest.length <= maxLength ? sumParts(rest) : undefined;
  if (nanos === undefined || nanos > maxNanos) return undefined;
  const length = Number(nanos / 1_000_000n) + Number(nanos % 1_000_000n) / 1e6;
  return (text.startsWith('-') ? -length : length) as Milliseconds;
}

/** Returns nanoseconds; smaller fractions are truncated. */
function sumParts(text: string): bigint | undefined {
  const scan = new RegExp(part);
  let total = 0n;
  let end = 0;
  for (let found = scan.exec(text); found !== null; found = scan.exec(text)) {
    const [, whole = '', fraction = '', unit = ''] = found;
    if (whole + fraction === '') return undefined;
    total += (BigInt(whole + fraction) * (nanosOf[unit] ?? 0n)) / 10n ** BigInt(fraction.length);
    end = scan.lastIndex;
  }
  return end === text.length ? total : undefined;
}

/** Returns Go's own form: `1h0m0s`, `1.5s`, `300ms`, `0s`; precise to the nanosecond. */
export function formatDuration(length: Milliseconds): string {
  const sign = length < 0 ? '-' : '';
  const whole = Math.trunc(Math.abs(length));
  const nanos = BigInt(whole) * 1_000_000n + BigInt(Math.round((Math.abs(length) - whole) * 1e6));
  if (nanos === 0n) return '0s';
  if (nanos < 1_000n) return `${sign}${nanos.toString()}ns`;
  if (nanos < 1_000_000n) return `${sign}${decimal(nanos, 1_000n)}µs`;
  if (nanos < 1_000_000_000n) return `${sign}${decimal(nanos, 1_000_000n)}ms`;
  const minute = 60_000_000_000n;
  const minutes = nanos / minute;
  const seconds = `${decimal(nanos % minute, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return `${sign}${hours === 0n ? '' : `${hours.toString()}h`}${(minutes % 60n).toString()}m${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '');
  return `${(value / unit).toString()}${fraction === '' ? '' : `.${fraction}`}`;
}
