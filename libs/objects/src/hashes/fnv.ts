/** The 32-bit FNV hashes that Kubernetes and Kruise use in names, labels and annotations, and the alphabet of those names. */

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;
const encoder = new TextEncoder();

/**
 * Computes FNV-1 (multiply, then xor): names of ControllerRevisions.
 *
 * @param text hashed as UTF-8
 * @returns an unsigned 32-bit integer
 * @see spec/inplace-update.md 3.3
 */
export function fnv1(text: string): number {
  let hash = offsetBasis;
  const bytes = encoder.encode(text);
  for (let i = 0; i < bytes.length; i += 1) hash = Math.imul(hash, prime) ^ (bytes[i] ?? 0);
  return hash >>> 0;
}

/**
 * Computes FNV-1a (xor, then multiply): hashes of containers and volumeClaimTemplates.
 *
 * @param text hashed as UTF-8
 * @returns an unsigned 32-bit integer
 * @see spec/inplace-update.md 3.5, 7.3
 */
export function fnv1a(text: string): number {
  let hash = offsetBasis;
  const bytes = encoder.encode(text);
  for (let i = 0; i < bytes.length; i += 1) hash = Math.imul(hash ^ (bytes[i] ?? 0), prime);
  return hash >>> 0;
}
