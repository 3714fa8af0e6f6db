/** Look-ups in lists of texts that users write, which may be as long as an object. */

/** In so few a search is quicker than a Set. */
const few = 8;

const known = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether the list has the text. A long list is read once, however often it is asked: do not change it afterwards. @param list absent is the same as empty */
export function hasText(list: readonly string[] | undefined | null, text: string): boolean {
  if (list === undefined || list === null) return false;
  if (list.length <= few) return list.includes(text);
  const texts = known.get(list) ?? new Set(list);
  known.set(list, texts);
  return texts.has(text);
}
