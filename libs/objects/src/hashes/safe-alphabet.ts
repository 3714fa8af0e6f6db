/** The alphabet of generated names: without vowels and similar characters, so that no word appears by accident. */
export const safeAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * Maps every UTF-16 unit of a text into {@link safeAlphabet} by its code modulo 27: how the decimal digits of a hash become part of a name.
 *
 * @see spec/inplace-update.md 3.3
 */
export function safeEncode(text: string): string {
  let encoded = '';
  for (let i = 0; i < text.length; i += 1) encoded += safeAlphabet.charAt(text.charCodeAt(i) % safeAlphabet.length);
  return encoded;
}
