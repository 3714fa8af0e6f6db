/** Look-ups in lists of texts that users write, which may be as long as an object. */

import { memoized } from './memoized.ts';

/** In so few a search is quicker than a Set. */
const few = 8;

const textsOf = memoized((list: readonly string[]): ReadonlySet<string> => new Set(list));

/** Whether the list has the text. A long list is read once, however often it is asked: do not change it afterwards. @param list absent is the same as empty */
export function hasText(list: readonly string[] | undefined | null, text: string): boolean {
  if (list === undefined || list === null) return false;
  if (list.length <= few) return list.includes(text);
  return textsOf(list).has(text);
}
