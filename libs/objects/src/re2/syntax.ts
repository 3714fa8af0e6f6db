/** The syntax tree of an RE2 expression, as far as it matters for the question whether there is a match. */

/** One code point: one of the ranges (or tests), or none of them when negated. */
export interface CharacterSet {
  readonly kind: 'Set';
  /** Pairs of first and last code point. */
  readonly ranges: readonly (readonly [number, number])[];
  /** Properties such as `\p{Greek}`; one holding is enough. */
  readonly properties: readonly RegExp[];
  readonly negated: boolean;
  /** Upper and lower case count as equal. */
  readonly fold: boolean;
}

export type Assertion = 'TextBegin' | 'TextEnd' | 'LineBegin' | 'LineEnd' | 'WordBoundary' | 'NoWordBoundary';

export type SyntaxNode =
  | CharacterSet
  | { readonly kind: 'Assert'; readonly assertion: Assertion }
  | { readonly kind: 'Sequence'; readonly nodes: readonly SyntaxNode[] }
  | { readonly kind: 'Choice'; readonly nodes: readonly SyntaxNode[] }
  /** `max` undefined: any number. */
  | { readonly kind: 'Repeat'; readonly node: SyntaxNode; readonly min: number; readonly max: number | undefined };

export interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** What is wrong with an expression, in the words of RE2. */
export class Re2Error extends Error {}

export const lastCodePoint = 0x10ffff;

export type Ranges = readonly (readonly [number, number])[];

/** Everything outside of the ranges. */
export function complement(ranges: Ranges): Ranges {
  const sorted = [...ranges].sort(([a], [b]) => a - b);
  const result: [number, number][] = [];
  let next = 0;
  for (const [first, last] of sorted) {
    if (first > next) result.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  return next > lastCodePoint ? result : [...result, [next, lastCodePoint]];
}
