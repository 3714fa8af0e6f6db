/**
 * JSON that keeps integers beyond 2^53: they are read as bigint and written with the same digits. Everything else is as with `JSON`.
 * One scan finds the rare texts with such an integer; all others use the native path. Keys are returned as they are written (`escaped-keys.ts`).
 */

import { parseJsonText } from './escaped-keys.ts';

/** Matches sixteen digits where a number may be. It also matches in some strings, which only costs time. */
const mayHoldBigInteger = /[:,[\s]-?\d{16}|^-?\d{16}/;
/** The digits of an int64, and a few more. The server itself reads longer ones as floating-point numbers. */
const integer = /^-?\d{16,20}$/;

/**
 * Parses a text.
 *
 * @param mayHoldLongInteger for a caller that knows whether there may be an integer beyond 2^53
 * @returns integers that a number cannot represent are bigints
 * @throws SyntaxError when the text is not JSON
 */
export function parseLossless(text: string, mayHoldLongInteger = mayHoldBigInteger.test(text)): unknown {
  return parseJsonText(text, mayHoldLongInteger ? keepLongInteger : undefined);
}

/** Reviver for `JSON.parse`: returns a bigint for an integer of up to 20 digits that a number cannot represent. */
function keepLongInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && integer.test(source) ? BigInt(source) : value;
}

/**
 * Returns compact JSON; undefined members are omitted.
 * @throws TypeError when the value has no JSON form (a cycle, undefined itself)
 */
export function stringifyLossless(value: unknown): string {
  const text = writeNative(value);
  if (text === undefined) throw new TypeError(`a ${typeof value} has no JSON form`);
  return text;
}

/** The replacer is expensive, so it is only used after a bigint made the native path fail. */
function writeNative(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? rawJson(member.toString()) : member));
  }
}

/** `JSON.rawJSON` is part of the runtime but not of the compiler's language library. */
const rawJson = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
