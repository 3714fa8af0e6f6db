/** Bytes of one call, below the limit on arguments. */
const chunk = 8192;

/** The UTF-8 bytes of a text in standard base64 with padding. @see RFC 4648, section 4 */
export function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = '';
  for (let at = 0; at < bytes.length; at += chunk) binary += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(binary);
}
