/**
 * Orders strings by their UTF-8 bytes, as Go does. It differs from JavaScript's order only when one string has a surrogate pair and the other a
 * character from U+E000 on, because UTF-16 puts surrogates before those.
 *
 * @returns negative, 0 or positive, for `Array.sort`
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return codePointRank(left) - codePointRank(right);
  }
  return a.length - b.length;
}

/** Ranks surrogates above every other UTF-16 unit. */
const codePointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** UTF-16 units whose position differs between JavaScript's own order and UTF-8. */
const outOfOrder = /[\ud800-\uffff]/;

/** Returns a copy sorted by {@link compareUtf8}; as fast as the native sort when no such character occurs. */
export function sortUtf8(texts: readonly string[]): string[] {
  return texts.some((text) => outOfOrder.test(text)) ? texts.toSorted(compareUtf8) : texts.toSorted();
}
