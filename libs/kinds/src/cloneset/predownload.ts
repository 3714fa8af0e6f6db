/** A CloneSet's rollout in the terms of the shared rule that pulls images ahead. @see spec/inplace-update.md 13 */
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { scaleIntOrPercentOr } from '@kruise/objects';
import { planPreDownload as planPullsAhead, type PreDownloadAction, type PreDownloadInput } from '@kruise/workloads';
import { ownerReferenceTo } from './pods/new-pod.ts';
import type { Context, Snapshot } from './snapshot/snapshot.ts';
import { partitionOf, replicasOf } from './snapshot/strategy.ts';
import { workloadOf } from './workload.ts';

/** Whether every Pod may be updated at once. Rounded down, unlike the limit of the update itself. */
function isAllAtOnce(cloneSet: CloneSet): boolean {
  const replicas = replicasOf(cloneSet);
  const value = cloneSet.spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? '20%';
  return partitionOf(cloneSet) === 0 && scaleIntOrPercentOr(0, value, replicas, 'down') >= replicas;
}

/** @returns nothing when pulling ahead is off: the snapshot then holds no list of jobs */
export function planPreDownload(
  { seen, update, current, status }: PreDownloadInput<Snapshot, CloneSetStatus>,
  context: Context,
): readonly PreDownloadAction[] {
  const { cloneSet, imagePullJobs } = seen;
  const rollout = {
    update,
    current,
    replicas: replicasOf(cloneSet),
    isAllAtOnce: isAllAtOnce(cloneSet),
    updatedReadyReplicas: status.updatedReadyReplicas,
    settings: cloneSet.spec.updateStrategy?.rollingUpdate?.inPlaceUpdateStrategy,
    owner: ownerReferenceTo(cloneSet),
    namespace: cloneSet.metadata.namespace ?? '',
    selector: cloneSet.spec.selector,
    jobs: imagePullJobs,
  };
  return planPullsAhead(rollout, workloadOf(seen, update.metadata.name, context));
}
