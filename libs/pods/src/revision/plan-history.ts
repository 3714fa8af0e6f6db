/** Which old revisions may go. */
import type { ControllerRevision } from '@kruise/objects';

/**
 * @param listed oldest first, as `listRevisions` gives them
 * @param isLive whether a revision is current, update, or carried by an active Pod
 * @param limit of revisions that are not live, 0 or more
 * @returns those to delete, lowest number first
 * @see spec/cloneset.md 5.2 step 13
 */
export function planHistory(
  listed: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  limit: number,
): readonly ControllerRevision[] {
  const unused = listed.filter((revision) => !isLive(revision));
  return unused.slice(0, Math.max(unused.length - limit, 0));
}
