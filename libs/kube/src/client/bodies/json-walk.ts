/**
 * Walks JSON as bytes without parsing it. Input from an API server is trusted to be JSON. For anything unexpected a function returns -1 ("unsure")
 * and never throws; the caller then uses the slow and certain way.
 */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, NEWLINE, OPEN_BRACE, OPEN_BRACKET, QUOTE, SPACE } from './json-bytes.ts';

const isSpace = (byte: number | undefined): boolean => byte === SPACE || byte === NEWLINE || byte === 0x0d || byte === 0x09;

/** Returns the first position at or after `at` that is not white space (may be the end). */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at;
  while (isSpace(bytes[next])) next++;
  return next;
}

/** Returns the position after the closing quote of the string that opens at `at`, or -1. */
export function skipString(bytes: Uint8Array, at: number): number {
  const end = bytes.length;
  for (let next = at + 1; next < end; next++) {
    const byte = bytes[next];
    if (byte === QUOTE) return next + 1;
    if (byte === BACKSLASH) next++;
  }
  return -1;
}

/** Returns the position after the object or array that opens at `at`, or -1. */
function skipNested(bytes: Uint8Array, at: number): number {
  const end = bytes.length;
  let depth = 0;
  let next = at;
  while (next < end) {
    const byte = bytes[next];
    if (byte === QUOTE) {
      next = skipString(bytes, next);
      if (next < 0) return -1;
      continue;
    }
    next++;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return next;
  }
  return -1;
}

function skipPlain(bytes: Uint8Array, at: number): number {
  const end = bytes.length;
  for (let next = at; next < end; next++) {
    const byte = bytes[next];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) return next > at ? next : -1;
  }
  return -1;
}

/** Returns the position after the value that starts at `at` (no white space before it), or -1. */
export function skipValue(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === QUOTE) return skipString(bytes, at);
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return skipNested(bytes, at);
  return skipPlain(bytes, at);
}

/** The half-open ranges of an object's field: its key with quotes, and its value. */
export interface MemberSpan {
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

const keyIs = (bytes: Uint8Array, start: number, end: number, key: string): boolean => {
  if (end - start !== key.length + 2) return false;
  for (let index = 0; index < key.length; index++) if (bytes[start + 1 + index] !== key.charCodeAt(index)) return false;
  return true;
};

/** Returns where the value of the field whose key ends at `keyEnd` begins, or -1. */
function valueAfterKey(bytes: Uint8Array, keyEnd: number): number {
  const colon = skipSpace(bytes, keyEnd);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : -1;
}

const END_OF_OBJECT = -2;

/** Returns where the first key of the object begins that opens at `open`, -1 when no object opens there. */
function firstMember(bytes: Uint8Array, open: number): number {
  if (bytes[open] !== OPEN_BRACE) return -1;
  const at = skipSpace(bytes, open + 1);
  return bytes[at] === CLOSE_BRACE ? END_OF_OBJECT : at;
}

/** Returns where the key of the next field begins, -1 when there is none where one must be. */
function nextMember(bytes: Uint8Array, valueEnd: number): number {
  const after = skipSpace(bytes, valueEnd);
  if (bytes[after] === CLOSE_BRACE) return END_OF_OBJECT;
  return bytes[after] === COMMA ? skipSpace(bytes, after + 1) : -1;
}

/**
 * Finds the field `key` of the object that opens at `open`, in this object only and not in nested ones.
 *
 * @param key ASCII without characters that JSON escapes
 * @param endOf returns where the value of the field ends; for callers that know it without a walk
 * @returns undefined when the object has no such field, -1 when the bytes are not an object as expected
 */
export function findMember(bytes: Uint8Array, open: number, key: string, endOf = skipValue): MemberSpan | undefined | -1 {
  let at = firstMember(bytes, open);
  while (at >= 0) {
    const keyEnd = bytes[at] === QUOTE ? skipString(bytes, at) : -1;
    const valueStart = keyEnd < 0 ? -1 : valueAfterKey(bytes, keyEnd);
    if (valueStart < 0) return -1;
    const found = keyIs(bytes, at, keyEnd, key);
    const valueEnd = (found ? endOf : skipValue)(bytes, valueStart);
    if (valueEnd < 0) return -1;
    if (found) return { keyStart: at, valueStart, valueEnd };
    at = nextMember(bytes, valueEnd);
  }
  return at === END_OF_OBJECT ? undefined : -1;
}
