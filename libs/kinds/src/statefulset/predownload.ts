/** A StatefulSet's rollout in the terms of the shared rule that pulls images ahead. @see spec/statefulset.md 5.9 */
import type { StatefulSet, StatefulSetStatus } from '@kruise/api';
import { scaleIntOrPercentOr } from '@kruise/objects';
import {
  planPreDownload as planPullsAhead,
  type PreDownloadAction,
  type PreDownloadInput,
  type PreDownloadSettings,
  type Workload,
  preDownloadSettings,
} from '@kruise/workloads';
import { ownerReferenceTo } from './pods/new-pod.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import { maxUnavailableOf, partitionOf, replicasOf, rollingUpdateOf } from './snapshot/strategy.ts';

/** Annotations of the StatefulSet come first, as they are all that the original looks at; then the fields of the spec. */
function settingsOf(set: StatefulSet): PreDownloadSettings {
  const { parallelism, timeoutSeconds, minUpdatedReadyPods } = preDownloadSettings(set);
  return {
    ...rollingUpdateOf(set)?.inPlaceUpdateStrategy,
    ...(parallelism === undefined ? {} : { imagePreDownloadParallelism: parallelism }),
    ...(timeoutSeconds === undefined ? {} : { imagePreDownloadTimeoutSeconds: timeoutSeconds }),
    ...(minUpdatedReadyPods === undefined
      ? {}
      : { imagePreDownloadMinUpdatedReadyPods: scaleIntOrPercentOr(0, minUpdatedReadyPods, replicasOf(set), 'up') }),
  };
}

/** @returns nothing when pulling ahead is off: the snapshot then holds no list of jobs */
export function planPreDownload(
  { seen, update, current, status }: PreDownloadInput<Snapshot, StatefulSetStatus>,
  workload: Workload,
): readonly PreDownloadAction[] {
  const { set, imagePullJobs } = seen;
  const replicas = replicasOf(set);
  const isSeen = set.status?.updateRevision === update.metadata.name;
  const rollout = {
    update,
    current,
    replicas,
    isAllAtOnce: partitionOf(set) === 0 && maxUnavailableOf(set) >= replicas,
    updatedReadyReplicas: isSeen ? (status.updatedReadyReplicas ?? 0) : 0,
    settings: settingsOf(set),
    owner: ownerReferenceTo(set),
    namespace: set.metadata.namespace ?? '',
    selector: set.spec.selector,
    jobs: imagePullJobs,
  };
  return planPullsAhead(rollout, workload);
}
