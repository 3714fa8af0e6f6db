/**
 * Hashes and equality of the parts of objects, for the tables of `ObjectSharing`. They run for every value of every object that arrives, so they
 * allocate nothing.
 */

/** A record of a parsed object. */
export type Dictionary = Record<string, unknown>;

/** Longer strings are hashed by length, head and tail. */
const FULLY_HASHED = 32;
const SAMPLE = 14;

/** Returns a hash that another value is mixed into, in 32 bits. */
export const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x5bd1e995) ^ (hash >>> 15);

/** Returns the hash of a string: of all of its characters, or of the first and last ones of a long string. */
export function hashString(text: string): number {
  const { length } = text;
  let hash = length;
  if (length <= FULLY_HASHED) {
    for (let at = 0; at < length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
    return mix(hash, length);
  }
  for (let at = 0; at < SAMPLE; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  for (let at = length - SAMPLE; at < length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return mix(hash, length);
}

/** Returns the hash of a key. Keys of one record are few, so its length and two of its characters distinguish them well enough. */
export const hashKey = (key: string): number => (key.length << 16) ^ (key.charCodeAt(0) << 8) ^ key.charCodeAt(key.length - 1);

function equalRecords(candidate: Dictionary, record: Dictionary): boolean {
  let members = 0;
  for (const key in record) {
    if (candidate[key] !== record[key]) return false;
    members++;
  }
  for (const _key in candidate) members--;
  return members === 0;
}

function equalArrays(candidate: readonly unknown[], array: readonly unknown[]): boolean {
  if (candidate.length !== array.length) return false;
  for (let at = 0; at < array.length; at++) if (candidate[at] !== array[at]) return false;
  return true;
}

/** Returns whether two parts have the same values, where equal parts inside them are the same reference already. */
export function equalParts(candidate: object, part: object): boolean {
  if (Array.isArray(part)) return Array.isArray(candidate) && equalArrays(candidate, part);
  return !Array.isArray(candidate) && equalRecords(candidate as Dictionary, part as Dictionary);
}
