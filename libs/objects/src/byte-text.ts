const encoder = new TextEncoder();

/**
 * The text that upstream's hashes are taken over: Go's verbose print of a byte slice, e.g. `([]uint8)[97 98]` for `ab`.
 *
 * @param data a string is taken as UTF-8
 * @see spec/inplace-update.md 7.3
 */
export function byteText(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? encoder.encode(data) : data;
  return `([]uint8)[${bytes.join(' ')}]`;
}
