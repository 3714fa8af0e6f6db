/** Decides which old revisions are deleted. */
import type { ControllerRevision } from '@kruise/objects';

/** The number of revisions to keep, 0 or more: of those that are not live, or of all, where live ones above the limit are kept as well. */
export type HistoryLimit = { readonly unused: number } | { readonly all: number };

/**
 * Returns the revisions to delete, lowest number first.
 *
 * @param listed oldest first, as `listRevisions` returns them
 * @param isLive whether a revision is current, update, or that of an active Pod: it stays
 * @see spec/cloneset.md 5.2 step 13
 * @see spec/sidecarset.md 5.1
 */
export function planHistory(
  listed: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  limit: HistoryLimit,
): readonly ControllerRevision[] {
  const unused = listed.filter((revision) => !isLive(revision));
  const surplus = 'unused' in limit ? unused.length - limit.unused : listed.length - limit.all;
  return unused.slice(0, Math.max(surplus, 0));
}
