/** The jobs that a change enqueues. @see spec/ephemeraljob.md 5 */
import type { EphemeralJob } from '@kruise/api';
import { enqueueMatching, type StoreEvent, type StoreReader } from '@kruise/kube';
import { isPodActive, labelMatcherOrNothing, semanticEqual, type ObjectKey, type Pod } from '@kruise/objects';
import { specOf } from '@kruise/kinds/ephemeraljob';
import { requestsOfJob } from '../../workloads/job-requests.ts';

/** The job itself, but for its own progress. */
export const requestsForJob = (event: StoreEvent<EphemeralJob>): readonly ObjectKey[] => requestsOfJob(event);

const isNews = (event: StoreEvent<Pod>): boolean =>
  event.kind !== 'Updated' ||
  isPodActive(event.object) !== isPodActive(event.previous) ||
  event.object.metadata.labels !== event.previous.metadata.labels ||
  !semanticEqual(event.object.status?.ephemeralContainerStatuses, event.previous.status?.ephemeralContainerStatuses);

const matches = (job: EphemeralJob, pod: Pod): boolean => labelMatcherOrNothing(specOf(job).selector).matches(pod.metadata.labels);

/** The jobs to which the Pod is, or was, a target. */
export function jobsOfPod(event: StoreEvent<Pod>, jobs: StoreReader<EphemeralJob>): readonly ObjectKey[] {
  if (jobs.size === 0 || !isNews(event)) return [];
  return enqueueMatching((pod: Pod) => jobs.list({ namespace: pod.metadata.namespace ?? '' }), matches)(event);
}
