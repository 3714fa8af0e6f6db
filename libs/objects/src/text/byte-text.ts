const encoder = new TextEncoder();

/**
 * Returns the text that upstream's hashes are computed from: Go's verbose print of a byte slice, e.g. `([]uint8)[97 98]` for `ab`.
 *
 * @param text as UTF-8
 * @see spec/inplace-update.md 7.3
 */
export const byteText = (text: string): string => `([]uint8)[${encoder.encode(text).join(' ')}]`;
