/** Hashes and names of revisions. */
import { fnv1, safeEncode } from '@kruise/objects';

const longestParent = 223;

/**
 * The hash that ends a revision's name.
 *
 * @param bytes as `templateBytes` gives them
 * @param collisionCount appended in decimal when given, 0 too
 * @see spec/inplace-update.md 3.3
 */
export const revisionHash = (bytes: string, collisionCount?: number): string =>
  safeEncode(String(fnv1(collisionCount === undefined ? bytes : `${bytes}${String(collisionCount)}`)));

/** `<parent, cut to 223 characters>-<hash>`; names of workloads are ASCII, so characters are bytes. */
export const revisionName = (parent: string, hash: string): string => `${parent.slice(0, longestParent)}-${hash}`;

/** The part after the last `-`; the whole text if there is none. */
export const shortHash = (name: string): string => name.slice(name.lastIndexOf('-') + 1);
