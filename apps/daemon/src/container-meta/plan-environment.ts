/** Decides when environments that cannot be read are retried: an image may have no `env` at all. Pure. @see spec/daemon.md 5.6 */
import { milliseconds, seconds, type Milliseconds } from '@kruise/objects';

/** What could not be read of one Pod. */
export interface Unread {
  /** Ids of the containers, sorted. */
  readonly containerIDs: readonly string[];
  /** In a row, for these instances. */
  readonly failures: number;
}

export interface UnreadPlan {
  readonly next: Unread;
  readonly after: Milliseconds;
}

const firstPause = seconds(3);
const longestPause = seconds(600);

/**
 * Plans a retry.
 *
 * @param before of the last pass, if it could not read everything
 * @param containerIDs that could not be read in this pass, at least one. Another instance is a reason to retry soon
 * @returns `after` 3 s, 6 s, 12 s, … 10 min
 */
export function planUnread(before: Unread | undefined, containerIDs: readonly string[]): UnreadPlan {
  const known = new Set(before?.containerIDs);
  const sorted = containerIDs.toSorted();
  const failures = before !== undefined && sorted.every((id) => known.has(id)) ? before.failures + 1 : 1;
  return { next: { containerIDs: sorted, failures }, after: milliseconds(Math.min(firstPause * 2 ** (failures - 1), longestPause)) };
}
