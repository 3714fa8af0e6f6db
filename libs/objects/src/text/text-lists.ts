/** Look-ups in lists of strings that users write, which may be as long as an object. */

import { memoized } from '../memoized.ts';

/** A search in this few is faster than a Set. */
const few = 8;

const textsOf = memoized((list: readonly string[]): ReadonlySet<string> => new Set(list));

/**
 * Returns whether the list contains the text. A long list is indexed once, however often it is searched: do not change it afterwards.
 * @param list absent equals empty
 */
export function hasText(list: readonly string[] | undefined | null, text: string): boolean {
  if (list === undefined || list === null) return false;
  if (list.length <= few) return list.includes(text);
  return textsOf(list).has(text);
}

/** Returns the words of a comma-separated list, trimmed, without empty ones, in their order. */
export const splitWords = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
