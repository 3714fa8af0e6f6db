/** Character classes of RE2: `[...]`, `\d`, `\p{Greek}`, `[[:alpha:]]`, and the escapes of single characters. */
import type { Reader } from './reader.ts';
import { lastCodePoint, Re2Error, type CharacterSet } from './syntax.ts';

/** Named classes in JavaScript's syntax, without the brackets. */
const perl: Readonly<Record<string, string>> = { d: '0-9', s: '\\t\\n\\f\\r ', w: '0-9A-Za-z_' };

const posix: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: '\\t ',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`\\{-~',
  space: '\\t-\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** Returns the JavaScript class, with brackets, of one item of a class or of an escape outside one. */
const pieceOf = (inside: string, negated = false): string => `[${negated ? '^' : ''}${inside}]`;

/** Returns a set. Letter case is folded before a piece is negated: both in JavaScript and in RE2, `(?i)[^A]` does not match `a`. */
const setOf = (pieces: readonly string[], fold: boolean, negated = false): CharacterSet => ({
  kind: 'Set',
  pieces: pieces.map((piece) => new RegExp(`^${piece}$`, fold ? 'iu' : 'u')),
  negated,
});

const codeOf = (point: string): number => point.codePointAt(0) ?? 0;
const codeText = (code: number): string => `\\u{${code.toString(16)}}`;

export const singleCharacter = (point: string, fold: boolean): CharacterSet => setOf([pieceOf(codeText(codeOf(point)))], fold);

/** Returns the set of `.`: any code point, without `(?s)` except line ends. */
export const anyCharacter = (alsoNewline: boolean): CharacterSet => setOf([pieceOf(alsoNewline ? '' : '\\n', true)], false);

const propertyOf = (name: string): string | undefined => {
  // The names are those of Unicode, so nothing else can be put into the pattern.
  for (const property of name === 'Any' ? ['\\p{Any}'] : [`\\p{gc=${name}}`, `\\p{Script=${name}}`]) {
    try {
      new RegExp(property, 'u');
      return property;
    } catch {
      // Not a category; a script, or neither.
    }
  }
  return undefined;
};

/** Parses `\pL`, `\p{Greek}`, `\P{^Lu}`. The reader is after the `p` or `P`. */
function unicodeClass(reader: Reader, negatedLetter: boolean): string {
  const text = reader.skip('{') ? reader.takeUntil('}') : reader.take();
  if (text === undefined) throw new Re2Error('invalid character class range');
  const isNegated = negatedLetter !== text.startsWith('^');
  const name = text.replace(/^\^/, '');
  const property = /^[A-Za-z_]+$/.test(name) ? propertyOf(name) : undefined;
  if (property === undefined) throw new Re2Error(`invalid character class range: \`\\p{${text}}\``);
  return pieceOf(property, isNegated);
}

/** Parses `\d`, `\W`, `\pL` after the backslash; undefined, with nothing consumed, when no class follows. */
function escapedClass(reader: Reader): string | undefined {
  const letter = reader.next;
  if (letter === 'p' || letter === 'P') {
    reader.take();
    return unicodeClass(reader, letter === 'P');
  }
  const inside = perl[letter.toLowerCase()];
  if (inside === undefined) return undefined;
  reader.take();
  return pieceOf(inside, letter !== letter.toLowerCase());
}

const controls: Readonly<Record<string, string>> = { a: '\x07', f: '\f', t: '\t', n: '\n', r: '\r', v: '\v' };

/** Parses `\x7F` and `\x{10FFFF}`. The reader is after the `x`. */
function hexadecimal(reader: Reader): string {
  const [digits, shape] = reader.skip('{') ? [reader.takeUntil('}'), /^[0-9a-fA-F]+$/] : [reader.takeWhile(/./, 2), /^[0-9a-fA-F]{2}$/];
  const code = digits !== undefined && shape.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
  if (!(code <= lastCodePoint)) throw new Re2Error('invalid escape sequence: `\\x`');
  return String.fromCodePoint(code);
}

/** Returns the character of an escape, after its backslash. A single digit would be a back reference, which RE2 lacks. */
function escapedCharacter(reader: Reader): string {
  const letter = reader.take();
  if (letter === 'x') return hexadecimal(reader);
  if (letter === '0' || (/[1-7]/.test(letter) && /[0-7]/.test(reader.next)))
    return String.fromCodePoint(Number.parseInt(letter + reader.takeWhile(/[0-7]/, 2), 8));
  const control = controls[letter];
  if (control !== undefined) return control;
  if (letter < '\x80' && !/[0-9A-Za-z]/.test(letter)) return letter;
  throw new Re2Error(`invalid escape sequence: \`\\${letter}\``);
}

/** Parses what follows a backslash outside brackets, except assertions and quotations. */
export function escapedSet(reader: Reader, fold: boolean): CharacterSet {
  const piece = escapedClass(reader);
  return piece === undefined ? singleCharacter(escapedCharacter(reader), fold) : setOf([piece], fold);
}

/** Parses `[:alpha:]` inside brackets; undefined, with nothing consumed, when there is none. */
function namedClass(reader: Reader): string | undefined {
  const mark = reader.mark;
  const text = reader.skip('[:') ? reader.takeUntil(':]') : undefined;
  if (text === undefined) {
    reader.back(mark);
    return undefined;
  }
  const name = text.replace(/^\^/, '');
  const inside = Object.hasOwn(posix, name) ? posix[name] : undefined;
  if (inside === undefined) throw new Re2Error(`invalid character class range: \`[:${text}:]\``);
  return pieceOf(inside, text.startsWith('^'));
}

const codeIn = (reader: Reader): number => codeOf(reader.skip('\\') ? escapedCharacter(reader) : reader.take());

function rangeIn(reader: Reader): string {
  const first = codeIn(reader);
  const isRange = reader.starts('-') && !reader.starts('-]');
  if (!isRange) return pieceOf(codeText(first));
  reader.take();
  const last = codeIn(reader);
  if (last < first) throw new Re2Error('invalid character class range');
  return pieceOf(`${codeText(first)}-${codeText(last)}`);
}

function escapedClassIn(reader: Reader): string | undefined {
  const mark = reader.mark;
  const piece = reader.skip('\\') ? escapedClass(reader) : undefined;
  if (piece === undefined) reader.back(mark);
  return piece;
}

/** Parses `[...]`. The reader is after the opening bracket. */
export function bracketClass(reader: Reader, fold: boolean): CharacterSet {
  const negated = reader.skip('^');
  const pieces: string[] = [];
  for (let isFirst = true; isFirst || !reader.skip(']'); isFirst = false) {
    if (reader.done) throw new Re2Error('missing closing ]');
    pieces.push(namedClass(reader) ?? escapedClassIn(reader) ?? rangeIn(reader));
  }
  return setOf(pieces, fold, negated);
}
