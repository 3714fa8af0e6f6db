/** JSON as Go's encoder writes it for a generic value: the bytes that revision hashes are computed from. */
import { sortUtf8 } from '../text/utf8-order.ts';

/** Characters that must be escaped in a string. The second pass in {@link escapeString} finds lone surrogates. */
const needsEscape = /[\u0000-\u001f"\\<>&\u2028\u2029\ud800-\udfff]/;

const shortEscapes: Readonly<Record<number, string>> = {
  0x08: '\\b',
  0x0c: '\\f',
  0x0a: '\\n',
  0x0d: '\\r',
  0x09: '\\t',
  0x22: '\\"',
  0x5c: '\\\\',
};

const hexEscape = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

const isEscapedCode = (code: number): boolean =>
  code < 0x20 || code === 0x22 || code === 0x5c || code === 0x3c || code === 0x3e || code === 0x26 || code === 0x2028 || code === 0x2029;

/** Returns a JSON string literal with quotes, escaped as Go does. A lone surrogate becomes `\ufffd`. */
export function goString(text: string): string {
  return needsEscape.test(text) ? escapeString(text) : `"${text}"`;
}

function escapeString(text: string): string {
  let out = '"';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (isEscapedCode(code)) out += shortEscapes[code] ?? hexEscape(code);
    else if (code >= 0xd800 && code <= 0xdfff) out += '\\ufffd';
    else out += character;
  }
  return `${out}"`;
}

function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`${String(value)} has no JSON form`);
  // ECMAScript and Go agree on the shortest digits and on where the exponent form starts (below 1e-6, from 1e21); -0 is 0.
  return String(value);
}

function writeMembers(object: Readonly<Record<string, unknown>>): string {
  let out = '';
  for (const key of sortUtf8(Object.keys(object))) {
    const value = object[key];
    if (value === undefined) continue;
    out += `${out === '' ? '' : ','}${goString(key)}:${canonicalJson(value)}`;
  }
  return `{${out}}`;
}

/**
 * Returns compact JSON with keys sorted by their UTF-8 bytes (integer-like keys too) and Go's escapes.
 *
 * @param value plain JSON data; members that are undefined are omitted, an undefined element becomes `null`; a bigint is an integer
 * @throws TypeError for a value without a JSON form (NaN, a function, a symbol)
 * @see spec/inplace-update.md 3.2
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return goString(value);
    case 'number':
      return writeNumber(value);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'undefined':
      return 'null';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : writeMembers(value as Readonly<Record<string, unknown>>);
    default:
      throw new TypeError(`a ${typeof value} has no JSON form`);
  }
}
