/** The syntax tree of an RE2 expression, as far as it matters for whether there is a match. */

/** One code point. */
export interface CharacterSet {
  readonly kind: 'Set';
  /** Tests of the code point: one must hold, or none of them when negated. */
  readonly pieces: readonly RegExp[];
  readonly negated: boolean;
}

export type Assertion = 'TextBegin' | 'TextEnd' | 'LineBegin' | 'LineEnd' | 'WordBoundary' | 'NoWordBoundary';

export type SyntaxNode =
  | CharacterSet
  | { readonly kind: 'Assert'; readonly assertion: Assertion }
  | { readonly kind: 'Sequence'; readonly nodes: readonly SyntaxNode[] }
  | { readonly kind: 'Choice'; readonly nodes: readonly SyntaxNode[] }
  /** `max` undefined: unlimited. */
  | { readonly kind: 'Repeat'; readonly node: SyntaxNode; readonly min: number; readonly max: number | undefined };

export interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** The fault of an expression, in the words of RE2. */
export class Re2Error extends Error {}

export const lastCodePoint = 0x10ffff;
