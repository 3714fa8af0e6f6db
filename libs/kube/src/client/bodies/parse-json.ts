/**
 * Converts JSON to objects and back so that what is read and written again is what the server had.
 *
 * Integers beyond 2^53 (int64 fields, quantities written as numbers, custom resources) do not survive a JavaScript number. They are returned as
 * bigints, as everywhere else (`parseLossless`), and written with the same digits. Every other number is a plain number.
 */
import { parseLossless, type KubeObject } from '@kruise/objects';
import { COLON, COMMA, MINUS, OPEN_BRACKET, SPACE } from './json-bytes.ts';
import { managedFieldsSpan, type Span } from './managed-fields.ts';

const RUN = 16;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Returns whether a JSON number may begin after this byte: white space, comma, colon, bracket, or no byte. */
const opensNumber = (byte: number | undefined): boolean =>
  byte === undefined || byte === COLON || byte === COMMA || byte === OPEN_BRACKET || byte <= SPACE;

/** Returns whether the digits that begin at `start` are where a number may be; those of hashes and ids in strings mostly are not. */
function beginsNumber(bytes: Uint8Array, start: number): boolean {
  return opensNumber(bytes[bytes[start - 1] === MINUS ? start - 2 : start - 1]);
}

/**
 * Returns whether `bytes` may contain an integer beyond 2^53: 16 digits in a row where a number may begin. True also for some strings, never false
 * for such a number. Reads every 16th byte.
 */
export function mayHoldLongInteger(bytes: Uint8Array): boolean {
  for (let probe = RUN - 1; probe < bytes.length; probe += RUN) {
    if (!isDigit(bytes[probe])) continue;
    let start = probe;
    let end = probe + 1;
    while (isDigit(bytes[start - 1])) start--;
    while (isDigit(bytes[end])) end++;
    if (end - start >= RUN && beginsNumber(bytes, start)) return true;
  }
  return false;
}

/** Returns the value of a whole JSON text. Throws `SyntaxError` as `JSON.parse` does. */
export function parseJson(bytes: Buffer): unknown {
  return parseLossless(bytes.toString('utf8'), mayHoldLongInteger(bytes));
}

type Mutable = { metadata?: { managedFields?: unknown } | null };

/** Returns the value without a range of its text, undefined when the rest is not JSON. */
function parseWithout(bytes: Buffer, { start, end }: Span): unknown {
  const text = bytes.toString('utf8', 0, start) + bytes.toString('utf8', end);
  try {
    return parseLossless(text, mayHoldLongInteger(bytes.subarray(0, start)) || mayHoldLongInteger(bytes.subarray(end)));
  } catch {
    return undefined;
  }
}

/**
 * Returns one API object from its bytes. Throws `SyntaxError` as `JSON.parse` does.
 *
 * @param keepManagedFields false drops `metadata.managedFields`
 */
export function parseObject<T extends KubeObject>(bytes: Buffer, keepManagedFields: boolean): T {
  if (keepManagedFields) return parseJson(bytes) as T;
  const span = managedFieldsSpan(bytes);
  const object = ((span && parseWithout(bytes, span)) ?? parseJson(bytes)) as T;
  const metadata = (object as Mutable | null)?.metadata;
  if (metadata?.managedFields !== undefined) delete metadata.managedFields;
  return object;
}
