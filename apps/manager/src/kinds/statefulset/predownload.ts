/** A StatefulSet's rollout in the terms of the shared rule that pulls images ahead. @see spec/statefulset.md 5.9 */
import { annotations, type StatefulSet, type StatefulSetStatus } from '@kruise/api';
import { parseIntOrPercent, scaleIntOrPercentOr, type ControllerRevision } from '@kruise/objects';
import { planPreDownload as planPullsAhead, type PreDownloadAction, type PreDownloadSettings, type Workload } from '@kruise/workloads';
import { ownerReferenceTo } from './new-pod.ts';
import type { Snapshot } from './snapshot.ts';
import { maxUnavailableOf, partitionOf, replicasOf, rollingUpdateOf } from './strategy.ts';

export interface PreDownloadInput {
  readonly seen: Snapshot;
  readonly update: ControllerRevision;
  readonly current: ControllerRevision;
  /** Of this pass. */
  readonly status: Pick<StatefulSetStatus, 'updatedReadyReplicas'>;
}

const wholeNumber = (text: string | undefined): number | undefined => (text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined);

/** A number or percentage as an annotation holds it; undefined for anything else. */
function intOrPercentText(text: string | undefined): number | string | undefined {
  const value = wholeNumber(text) ?? text;
  return value === undefined || parseIntOrPercent(value).kind === 'Illegal' ? undefined : value;
}

/** Annotations of the StatefulSet come first, as they are all that the original looks at; then the fields of the spec. */
function settingsOf(set: StatefulSet): PreDownloadSettings {
  const held = set.metadata.annotations ?? {};
  const fields = rollingUpdateOf(set)?.inPlaceUpdateStrategy ?? {};
  const minUpdatedReady = intOrPercentText(held[annotations.preDownloadMinUpdatedReadyPods]);
  const parallelism = intOrPercentText(held[annotations.preDownloadParallelism]);
  const timeout = wholeNumber(held[annotations.preDownloadTimeoutSeconds]);
  return {
    ...fields,
    ...(parallelism === undefined ? {} : { imagePreDownloadParallelism: parallelism }),
    ...(timeout === undefined ? {} : { imagePreDownloadTimeoutSeconds: timeout }),
    ...(minUpdatedReady === undefined
      ? {}
      : { imagePreDownloadMinUpdatedReadyPods: scaleIntOrPercentOr(0, minUpdatedReady, replicasOf(set), 'up') }),
  };
}

/** @returns nothing when pulling ahead is off: the snapshot then holds no list of jobs */
export function planPreDownload({ seen, update, current, status }: PreDownloadInput, workload: Workload): readonly PreDownloadAction[] {
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
