/**
 * Returns whether a JSON text nests objects and lists deeper than `limit`. Check it before parsing external input, because walking very deep data
 * (copying, comparing, canonical JSON) ends in a RangeError.
 *
 * @remarks One pass, brackets within strings are skipped; the text need not be valid JSON.
 */
export function isNestedDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === quote) i = endOfString(text, i);
    else if (unit === openObject || unit === openList) {
      depth += 1;
      if (depth > limit) return true;
    } else if (unit === closeObject || unit === closeList) depth -= 1;
  }
  return false;
}

const [quote, backslash, openObject, openList, closeObject, closeList] = [0x22, 0x5c, 0x7b, 0x5b, 0x7d, 0x5d];

/** Returns the index of the closing quote, or the length of an unfinished text. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === backslash) i += 1;
    else if (unit === quote) return i;
  }
  return text.length;
}
