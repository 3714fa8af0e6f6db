/** The jobs that a change enqueues. @see spec/broadcastjob.md 5.1 */
import { broadcastJobObstacle, broadcastJobs, type BroadcastJob } from '@kruise/api';
import { enqueueOwner, gatheringOf, type Request, type StoreEvent, type StoreReader } from '@kruise/kube';
import { keyOf, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import { fitOf, endingOf } from '@kruise/kinds/broadcastjob';
import { requestsOfJob } from '../../workloads/job-requests.ts';

/** The job itself, but for its own progress once it has a phase. */
export const keysForJob = (event: StoreEvent<BroadcastJob>): readonly ObjectKey[] =>
  requestsOfJob(event, ({ status }) => (status?.phase ?? '') === '');

/** What counts of a Pod: where it is, whether and how it ends, how often it was restarted. */
const factsOf = ({ metadata, spec, status }: Pod): string =>
  JSON.stringify([
    metadata.deletionTimestamp,
    metadata.labels,
    metadata.ownerReferences,
    spec.nodeName,
    status?.phase,
    ...[...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].map(({ restartCount }) => restartCount),
  ]);

const ownersOf = enqueueOwner(broadcastJobs);

/** Old and new owner. Changes come in swarms: one pass answers those of a while. */
export function requestsForPod(event: StoreEvent<Pod>, jobs: StoreReader<BroadcastJob>): readonly Request[] {
  const keys = ownersOf(event);
  if (keys.length === 0 || (event.kind === 'Updated' && factsOf(event.object) === factsOf(event.previous))) return [];
  return keys.map((key) => ({ key, after: gatheringOf(jobs.get(key)?.status?.desired ?? 1) }));
}

/** Whether a node is one for new Pods; a node that is not there is none. */
const isFor = (job: BroadcastJob, node: Node | undefined): boolean =>
  node !== undefined && fitOf(job.spec.template.spec ?? { containers: [] })(node);

/**
 * Jobs that go on, and for which a node came, or changed in what they look at; all of them when a node is deleted: one that was closed counts as long
 * as it exists, if a Pod of the job has ended there.
 */
export function requestsForNode(event: StoreEvent<Node>, jobs: StoreReader<BroadcastJob>): readonly Request[] {
  const before = event.kind === 'Updated' ? event.previous : undefined;
  const after = event.object;
  return jobs
    .list({})
    .filter((job) => endingOf(job) === undefined && broadcastJobObstacle(job) === undefined)
    .filter((job) => event.kind === 'Deleted' || isFor(job, before) !== isFor(job, after))
    .map((job) => ({ key: keyOf(job), after: gatheringOf(job.status?.desired ?? 1) }));
}
