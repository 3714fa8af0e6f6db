/** Character classes of RE2: `[...]`, `\d`, `\p{Greek}`, `[[:alpha:]]`, and the escapes of single characters. */
import type { Reader } from './reader.ts';
import { complement, lastCodePoint, Re2Error, type CharacterSet, type Ranges } from './syntax.ts';

const span = (first: string, last: string): readonly [number, number] => [first.charCodeAt(0), last.charCodeAt(0)];
const digit: Ranges = [span('0', '9')];
const upper: Ranges = [span('A', 'Z')];
const lower: Ranges = [span('a', 'z')];
const alpha: Ranges = [...upper, ...lower];
const alnum: Ranges = [...digit, ...alpha];
const word: Ranges = [...alnum, span('_', '_')];
const space: Ranges = [[9, 10], [12, 13], span(' ', ' ')];

const perl: Readonly<Record<string, Ranges>> = { d: digit, s: space, w: word };

const posix: Readonly<Record<string, Ranges>> = {
  alnum,
  alpha,
  ascii: [[0, 127]],
  blank: [span('\t', '\t'), span(' ', ' ')],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit,
  graph: [span('!', '~')],
  lower,
  print: [span(' ', '~')],
  punct: [span('!', '/'), span(':', '@'), span('[', '`'), span('{', '~')],
  space: [[9, 13], span(' ', ' ')],
  upper,
  word,
  xdigit: [...digit, span('A', 'F'), span('a', 'f')],
};

/** What one item of a class, or an escape outside of one, stands for. */
interface Piece {
  readonly ranges: Ranges;
  readonly properties: readonly RegExp[];
}

const ofRanges = (ranges: Ranges, negated: boolean): Piece => ({ ranges: negated ? complement(ranges) : ranges, properties: [] });

const setOf = (pieces: readonly Piece[], fold: boolean, negated = false): CharacterSet => ({
  kind: 'Set',
  ranges: pieces.flatMap(({ ranges }) => ranges),
  properties: pieces.flatMap(({ properties }) => properties),
  negated,
  fold,
});

export const singleCharacter = (point: string, fold: boolean): CharacterSet => {
  const code = point.codePointAt(0) ?? 0;
  return setOf([ofRanges([[code, code]], false)], fold);
};

/** `.`: any code point, without `(?s)` not a line's end. */
export const anyCharacter = (alsoNewline: boolean): CharacterSet =>
  setOf([ofRanges([[10, 10]], false)].slice(alsoNewline ? 1 : 0), false, true);

const propertyOf = (name: string, negated: boolean): RegExp | undefined => {
  const letter = negated ? 'P' : 'p';
  // A property is a test of one code point; the names are those of Unicode, so nothing else can get into the pattern.
  for (const form of [`gc=${name}`, `Script=${name}`]) {
    try {
      return new RegExp(`^\\${letter}{${form}}$`, 'u');
    } catch {
      // Not a category; a script, or neither.
    }
  }
  return undefined;
};

/** `\pL`, `\p{Greek}`, `\P{^Lu}`; the reader stands behind the `p` or `P`. */
function unicodeClass(reader: Reader, negatedLetter: boolean): Piece {
  const text = reader.skip('{') ? reader.takeUntil('}') : reader.take();
  if (text === undefined) throw new Re2Error('invalid character class range');
  const isNegated = negatedLetter !== text.startsWith('^');
  const name = text.replace(/^\^/, '');
  if (name === 'Any') return ofRanges([[0, lastCodePoint]], isNegated);
  const property = /^[A-Za-z_]+$/.test(name) ? propertyOf(name, isNegated) : undefined;
  if (property === undefined) throw new Re2Error(`invalid character class range: \`\\p{${text}}\``);
  return { ranges: [], properties: [property] };
}

/** `\d`, `\W`, `\pL` after the backslash; undefined, with nothing taken, when no class comes. */
function escapedClass(reader: Reader): Piece | undefined {
  const letter = reader.next;
  if (letter === 'p' || letter === 'P') {
    reader.take();
    return unicodeClass(reader, letter === 'P');
  }
  const ranges = /^[dswDSW]$/.test(letter) ? perl[letter.toLowerCase()] : undefined;
  if (ranges === undefined) return undefined;
  reader.take();
  return ofRanges(ranges, letter !== letter.toLowerCase());
}

const controls: Readonly<Record<string, string>> = { a: '\x07', f: '\f', t: '\t', n: '\n', r: '\r', v: '\v' };

/** `\x7F` and `\x{10FFFF}`; the reader stands behind the `x`. */
function hexadecimal(reader: Reader): string {
  const digits = reader.skip('{') ? reader.takeUntil('}') : reader.takeWhile(/[0-9a-fA-F]/, 2);
  const code = digits !== undefined && /^[0-9a-fA-F]{1,8}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
  if (!(code <= lastCodePoint)) throw new Re2Error('invalid escape sequence: `\\x`');
  return String.fromCodePoint(code);
}

/** The character that an escape stands for, after its backslash. A single digit would be a back reference, which RE2 has not. */
function escapedCharacter(reader: Reader): string {
  const letter = reader.take();
  if (letter === 'x') return hexadecimal(reader);
  if (letter === '0' || (/[1-7]/.test(letter) && /[0-7]/.test(reader.next)))
    return String.fromCodePoint(Number.parseInt(letter + reader.takeWhile(/[0-7]/, 2), 8));
  const control = controls[letter];
  if (control !== undefined) return control;
  if (letter.length === 1 && letter < '\x80' && !/[0-9A-Za-z]/.test(letter)) return letter;
  throw new Re2Error(`invalid escape sequence: \`\\${letter}\``);
}

/** What follows a backslash outside of brackets, assertions and quotations aside. */
export function escapedSet(reader: Reader, fold: boolean): CharacterSet {
  const piece = escapedClass(reader);
  return piece === undefined ? singleCharacter(escapedCharacter(reader), fold) : setOf([piece], fold);
}

/** `[:alpha:]` inside of brackets; undefined, with nothing taken, when it is none. */
function namedClass(reader: Reader): Piece | undefined {
  const mark = reader.mark;
  const text = reader.skip('[:') ? reader.takeUntil(':]') : undefined;
  if (text === undefined) {
    reader.back(mark);
    return undefined;
  }
  const name = text.replace(/^\^/, '');
  const ranges = Object.hasOwn(posix, name) ? posix[name] : undefined;
  if (ranges === undefined) throw new Re2Error(`invalid character class range: \`[:${text}:]\``);
  return ofRanges(ranges, text.startsWith('^'));
}

const codeIn = (reader: Reader): number => {
  const point = reader.skip('\\') ? escapedCharacter(reader) : reader.take();
  return point.codePointAt(0) ?? 0;
};

function rangeIn(reader: Reader): Piece {
  const first = codeIn(reader);
  const isRange = reader.starts('-') && !reader.starts('-]');
  if (!isRange) return ofRanges([[first, first]], false);
  reader.take();
  const last = codeIn(reader);
  if (last < first) throw new Re2Error('invalid character class range');
  return ofRanges([[first, last]], false);
}

function escapedClassIn(reader: Reader): Piece | undefined {
  const mark = reader.mark;
  const piece = reader.skip('\\') ? escapedClass(reader) : undefined;
  if (piece === undefined) reader.back(mark);
  return piece;
}

/** `[...]`; the reader stands behind the opening bracket. */
export function bracketClass(reader: Reader, fold: boolean): CharacterSet {
  const negated = reader.skip('^');
  const pieces: Piece[] = [];
  for (let isFirst = true; isFirst || !reader.skip(']'); isFirst = false) {
    if (reader.done) throw new Re2Error('missing closing ]');
    pieces.push(namedClass(reader) ?? escapedClassIn(reader) ?? rangeIn(reader));
  }
  return setOf(pieces, fold, negated);
}
