/** A DaemonSet's rollout in the terms of the shared rule that pulls images ahead. @see spec/daemonset.md 5.9 */
import type { DaemonSetStatus } from '@kruise/api';
import { planPullAhead, type PreDownloadAction, preDownloadSettings } from '@kruise/workloads';
import { ownerReferenceTo } from './pods/new-pod.ts';
import type { DaemonSetRevisions } from './revisions.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { isOnDelete, partitionOf, updateLimitsOf } from './snapshot/strategy.ts';

/** With `OnDelete` a user deletes Pods; the rule assumes one at a time. */
const unavailableOnDelete = 1;

function whyIgnored({ set, revisions }: Snapshot, { update }: DaemonSetRevisions, desired: number): string | undefined {
  if (revisions.every(({ metadata }) => metadata.name === update.metadata.name)) return 'there is no older revision';
  const unavailable = isOnDelete(set) ? unavailableOnDelete : updateLimitsOf(set, desired).maxUnavailable;
  return partitionOf(set, desired) === 0 && unavailable >= desired ? 'all Pods may be updated at once' : undefined;
}

/**
 * @param status of this pass
 * @returns nothing when pulling ahead is off: the snapshot then holds no list of jobs
 */
export function planPreDownload(seen: Snapshot, revisions: DaemonSetRevisions, status: DaemonSetStatus): readonly PreDownloadAction[] {
  const { set } = seen;
  const { update, hash } = revisions;
  const { desiredNumberScheduled: desired, updatedNumberScheduled: updated } = status;
  const { parallelism, timeoutSeconds } = preDownloadSettings(set);
  return planPullAhead({
    update,
    before: seen.revisions.filter(({ metadata }) => metadata.name !== update.metadata.name),
    settings: {
      ...(parallelism === undefined ? {} : { imagePreDownloadParallelism: parallelism }),
      ...(timeoutSeconds === undefined ? {} : { imagePreDownloadTimeoutSeconds: timeoutSeconds }),
    },
    owner: ownerReferenceTo(set),
    namespace: set.metadata.namespace ?? '',
    selector: set.spec.selector,
    jobs: seen.imagePullJobs,
    isOver: updated === desired && set.status?.updateRevision === hash,
    whyIgnored: () => whyIgnored(seen, revisions, desired),
    isBegun: true,
    because: `revision ${update.metadata.name} is rolled out, ${updated} of ${desired} nodes have it`,
  });
}
