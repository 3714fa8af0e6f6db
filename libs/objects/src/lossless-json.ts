/**
 * JSON that keeps integers beyond 2^53: they are read as bigint and written as the same digits. Everything else is as with `JSON`.
 * Texts without such an integer, nearly all, are found by one scan and take the native path. Keys come out as they are written
 * (`escaped-keys.ts`).
 */

import { parseJsonText } from './escaped-keys.ts';

/** Sixteen digits in a place where a number may stand; also found in some strings, which only costs time. */
const mayHoldBigInteger = /[:,[\s]-?\d{16}|^-?\d{16}/;
/** Of an int64, and a little more; the server itself reads longer ones as floating-point numbers. */
const integer = /^-?\d{16,20}$/;

/**
 * @param mayHoldLongInteger for a caller that knows better whether there may be an integer beyond 2^53
 * @returns integers that a number cannot hold are bigints
 * @throws SyntaxError when the text is no JSON
 */
export function parseLossless(text: string, mayHoldLongInteger = mayHoldBigInteger.test(text)): unknown {
  return parseJsonText(text, mayHoldLongInteger ? keepLongInteger : undefined);
}

/** For `JSON.parse`: a bigint for an integer of up to 20 digits that a number cannot hold. */
function keepLongInteger(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && integer.test(source) ? BigInt(source) : value;
}

/**
 * @returns compact JSON; undefined members are left out
 * @throws TypeError when the value has no JSON form (a cycle, undefined itself)
 */
export function stringifyLossless(value: unknown): string {
  const text = writeNative(value);
  if (text === undefined) throw new TypeError(`a ${typeof value} has no JSON form`);
  return text;
}

/** The replacer costs, so it is only used once a bigint made the native path fail. */
function writeNative(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? rawJson(member.toString()) : member));
  }
}

/** `JSON.rawJSON` is part of the runtime but not of the language library that the compiler is set to. */
const rawJson = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
