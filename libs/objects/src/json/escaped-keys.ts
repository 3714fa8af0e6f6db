/**
 * A `JSON.parse` that returns keys as they are written.
 *
 * V8 (of Node 24, 25 and 26) looks up a key that has an escape by the first characters of its raw text: once some object had the key `\`, the text
 * `{"a":1,"\"":1}` may have the key `\` instead of `"`. A wrong key thus always contains a backslash. So the few texts with an escape in a key are
 * checked after parsing, and one in which any key contains a backslash is read again, token by token. Delete this file with the last such Node:
 * `escaped-keys.test.ts` fails then.
 */
/* eslint no-restricted-properties: "off" -- the one place that calls the native parser */
import { setOwnMember } from './own-member.ts';

/** A reviver for `JSON.parse`. */
export type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

/**
 * Returns the value of a JSON text. Integers beyond 2^53 are rounded, as with `JSON.parse` (`parseLossless` keeps them).
 *
 * @param revive receives each value as from `JSON.parse`, but must only replace scalars by scalars, independently of their key
 * @throws SyntaxError when the text is not JSON
 */
export function parseJsonText(text: string, revive?: Reviver): unknown {
  const value: unknown = JSON.parse(text, revive);
  return hasEscapedKey(text) && hasBackslashKey(value) ? readTokens(text, revive) : value;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const space = 0x20;

/** Returns the position after the next unescaped quote, from `at` on. */
function behindString(text: string, at: number): number {
  let end = text.indexOf('"', at);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

/** Returns whether a key of this valid JSON is written with an escape. A text without a backslash costs almost nothing. */
function hasEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = behindString(text, at);
    while (text.charCodeAt(at) <= space) at += 1;
    if (text.charCodeAt(at) === colon) return true;
  }
  return false;
}

/** Returns whether a key contains a backslash. Without recursion, because the depth of the value is unknown. */
function hasBackslashKey(value: unknown): boolean {
  const toLookAt: unknown[] = [value];
  while (toLookAt.length > 0) {
    const next = toLookAt.pop();
    if (Array.isArray(next)) for (const item of next) toLookAt.push(item);
    else if (typeof next === 'object' && takeMembers(next as Members | null, toLookAt)) return true;
  }
  return false;
}

/** Adds the members that may contain others to `list`. @returns true as soon as a key contains a backslash */
function takeMembers(members: Members | null, list: unknown[]): boolean {
  for (const key in members) {
    if (key.includes('\\')) return true;
    if (typeof members[key] === 'object') list.push(members[key]);
  }
  return false;
}

type Members = Record<string, unknown>;

/** Receives the tokens of a valid JSON object or list one by one. Strings and numbers are parsed by `JSON.parse`, which handles them correctly. */
class Builder {
  root: unknown;
  readonly #open: (unknown[] | Members)[] = [];
  #key: string | undefined;
  readonly #revive: Reviver | undefined;

  constructor(revive: Reviver | undefined) {
    this.#revive = revive;
  }

  take(token: string): void {
    const within = this.#open.at(-1);
    if (token === '{' || token === '[') this.#openWith(token === '{' ? {} : []);
    else if (token === '}' || token === ']') this.#open.pop();
    else if (Array.isArray(within) || this.#key !== undefined) this.#put(JSON.parse(token, this.#revive));
    else this.#key = JSON.parse(token) as string;
  }

  #openWith(made: unknown[] | Members): void {
    this.#put(made);
    this.#open.push(made);
  }

  #put(value: unknown): void {
    const within = this.#open.at(-1);
    if (within === undefined) this.root = value;
    else if (Array.isArray(within)) within.push(value);
    else setOwnMember(within, this.#key ?? '', value);
    this.#key = undefined;
  }
}

const plainToken = /[{}[\]]|[^\s,:{}[\]"]+/y;
const betweenTokens = /[\t\n\r ,:]*/y;

/** Returns where the match of a sticky pattern that begins at `at` ends. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Returns the value of a text that is known to be the JSON of an object or a list. */
function readTokens(text: string, revive: Reviver | undefined): unknown {
  const builder = new Builder(revive);
  for (let at = endOf(betweenTokens, text, 0); at < text.length;) {
    const end = text.charCodeAt(at) === quote ? behindString(text, at + 1) : endOf(plainToken, text, at);
    builder.take(text.slice(at, end));
    at = endOf(betweenTokens, text, end);
  }
  return builder.root;
}
