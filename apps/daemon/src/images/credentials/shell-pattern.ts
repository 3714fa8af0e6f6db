/**
 * Shell patterns (`*`, `?`, `[a-z]`, `[^a-z]`, `\x`) for one part of a host name. They are in pull secrets, which any user may write: the only
 * backtracking is to the last `*`, so that a match takes at most as many steps as the pattern has tokens times the text has characters.
 *
 * @see spec/daemon.md 5.3
 */

interface CharacterSet {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [from: string, to: string])[];
}

/** One exact character, any number of any, any one, or one of a set. */
type Token = { readonly kind: 'Character'; readonly character: string } | { readonly kind: 'Some' } | { readonly kind: 'One' } | SetToken;
type SetToken = { readonly kind: 'Set' } & CharacterSet;

interface Parsed<T> {
  readonly token: T;
  /** Position of what follows it. */
  readonly next: number;
}

/** Parses a character of a set, `\` before any; undefined where a set cannot have one. */
function parseMember(characters: readonly string[], at: number): Parsed<string> | undefined {
  const first = characters[at];
  if (first === undefined || first === '-' || first === ']') return undefined;
  const token = first === '\\' ? characters[at + 1] : first;
  return token === undefined ? undefined : { token, next: at + (first === '\\' ? 2 : 1) };
}

/** Parses a set. @param start after the `[` */
function parseSet(characters: readonly string[], start: number): Parsed<Token> | undefined {
  const isNegated = characters[start] === '^';
  const ranges: (readonly [string, string])[] = [];
  let at = isNegated ? start + 1 : start;
  do {
    const from = parseMember(characters, at);
    const to = from !== undefined && characters[from.next] === '-' ? parseMember(characters, from.next + 1) : from;
    if (from === undefined || to === undefined) return undefined;
    ranges.push([from.token, to.token]);
    at = to.next;
  } while (characters[at] !== ']');
  return { token: { kind: 'Set', isNegated, ranges }, next: at + 1 };
}

function parseToken(characters: readonly string[], at: number): Parsed<Token> | undefined {
  const character = characters[at] ?? '';
  if (character === '[') return parseSet(characters, at + 1);
  if (character === '*') return { token: { kind: 'Some' }, next: at + 1 };
  if (character === '?') return { token: { kind: 'One' }, next: at + 1 };
  if (character !== '\\') return { token: { kind: 'Character', character }, next: at + 1 };
  const escaped = characters[at + 1];
  return escaped === undefined ? undefined : { token: { kind: 'Character', character: escaped }, next: at + 2 };
}

/** Parses a pattern, undefined for an invalid one, and for one that no text of `longest` characters can match. */
function parsePattern(glob: string, longest: number): readonly Token[] | undefined {
  const characters = [...glob];
  const tokens: Token[] = [];
  let least = 0;
  for (let at = 0; at < characters.length;) {
    const parsed = parseToken(characters, at);
    if (parsed === undefined) return undefined;
    at = parsed.next;
    const { token } = parsed;
    if (token.kind === 'Some' && tokens.at(-1)?.kind === 'Some') continue;
    if (token.kind !== 'Some' && ++least > longest) return undefined;
    tokens.push(token);
  }
  return tokens;
}

function fits(token: Token, character: string): boolean {
  switch (token.kind) {
    case 'Character':
      return token.character === character;
    case 'Set':
      return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.isNegated;
    case 'One':
      return true;
    default:
      return false;
  }
}

/** Returns whether the whole text matches the pattern; nothing matches a faulty one. */
export function matchesShellPattern(glob: string, text: string): boolean {
  const characters = [...text];
  const tokens = parsePattern(glob, characters.length);
  if (tokens === undefined) return false;
  let [at, token] = [0, 0];
  /** The position after the last `*`, and the end of its match. */
  let last: { readonly token: number; end: number } | undefined;
  while (at < characters.length) {
    const wanted = tokens[token];
    if (wanted?.kind === 'Some') last = { token: ++token, end: at };
    else if (wanted !== undefined && fits(wanted, characters[at] ?? '')) [at, token] = [at + 1, token + 1];
    else if (last !== undefined) [at, token] = [++last.end, last.token];
    else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === 'Some');
}
