/** Hashes and names of revisions. */
import { labels } from '@kruise/api';
import { fnv1, fnv1a, safeEncode } from '@kruise/objects';

const longestParent = 223;

/**
 * Returns the hash that ends a revision's name.
 *
 * @param bytes as `templateBytes` returns them
 * @param collisionCount appended in decimal when given, also 0
 * @see spec/inplace-update.md 3.3
 */
export const revisionHash = (bytes: string, collisionCount?: number): string =>
  safeEncode(String(fnv1(collisionCount === undefined ? bytes : `${bytes}${String(collisionCount)}`)));

/** Returns `<parent, cut to 223 characters>-<hash>`. Names of workloads are ASCII, so characters are bytes. */
export const revisionName = (parent: string, hash: string): string => `${parent.slice(0, longestParent)}-${hash}`;

/** Returns the part after the last `-`; the whole text if there is none. */
export const shortHash = (name: string): string => name.slice(name.lastIndexOf('-') + 1);

/** The naming of the revisions of a kind. */
export interface RevisionNaming {
  /** The label that contains the hash. */
  readonly label: string;
  /** Returns the hash. @param collisionCount how often the resulting name was in use */
  readonly hash: (bytes: string, collisionCount: number) => string;
  /** Whether the label keeps the hash that was computed first, or follows the name when that is in use. */
  readonly labelIs: 'FirstHash' | 'HashOfName';
}

/** The naming of CloneSet, StatefulSet and SidecarSet. @see spec/inplace-update.md 3.3 */
export const workloadNaming: RevisionNaming = { label: labels.revisionDataHash, hash: revisionHash, labelIs: 'FirstHash' };

/** Returns a count as the original adds it to its hash: a uint32, little endian, in eight bytes; nothing while no name was in use. */
function countBytes(collisionCount: number): string {
  if (collisionCount === 0) return '';
  const bytes = [0, 8, 16, 24].map((shift) => (collisionCount >>> shift) & 0xff);
  return String.fromCharCode(...bytes, 0, 0, 0, 0);
}

/**
 * The naming of DaemonSet, whose Pods have the hash as a label: two revisions must never share one. The original hashes a text that only Go can
 * write; its revisions are found by their content, and keep their hashes.
 * @see spec/daemonset.md 5.4
 */
export const daemonSetNaming: RevisionNaming = {
  label: labels.controllerRevisionHash,
  hash: (bytes, collisionCount) => safeEncode(String(fnv1a(`${bytes}${countBytes(collisionCount)}`))),
  labelIs: 'HashOfName',
};
