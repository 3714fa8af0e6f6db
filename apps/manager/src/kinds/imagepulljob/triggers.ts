/**
 * The objects that a change enqueues. With many jobs and nodes a wide fan-out would keep the manager busy with nothing, so a change of a NodeImage enqueues only
 * jobs that want just what changed in it.
 * @see spec/image-pulling.md 5.4
 */
import { imageListPullJobs, maxNodeImages, type ImageListPullJob, type ImagePullJob, type NodeImage } from '@kruise/api';
import type { Request, StoreEvent, StoreReader } from '@kruise/kube';
import {
  controllerOf,
  deepEqual,
  formatKey,
  imageTaskOf,
  isControlledBy,
  isPodActive,
  keyOf,
  milliseconds,
  ownMember,
  parseKey,
  refersToKind,
  type JsonObject,
  type ObjectKey,
  type Pod,
  type Secret,
  type Index,
} from '@kruise/objects';
import { isActive, imageAt, imagesOf, imageStatusesOf, tagsOf, tagStatusesOf } from '@kruise/kinds/images';
import { choosesNode, usersOf, wantedSecretsOf, nodeChoiceOf } from '@kruise/kinds/imagepulljob';

/** Index of jobs that are neither over nor going: `all`, `image:<name>`, `pods:<namespace>`, `secret:<namespace>/<name>`. */
export const activeJobs: Index<ImagePullJob> = { name: 'activeImagePullJob', valuesOf: activeIndexOf };

export function activeIndexOf(job: ImagePullJob): readonly string[] {
  if (!isActive(job)) return [];
  const task = imageTaskOf(job.spec.image);
  return [
    'all',
    ...(task === undefined ? [] : [`image:${task.name}`]),
    ...(job.spec.podSelector === undefined ? [] : [`pods:${job.metadata.namespace ?? ''}`]),
    ...wantedSecretsOf(job).map((key) => `secret:${formatKey(key)}`),
  ];
}

type Jobs = Pick<StoreReader<ImagePullJob>, 'byIndex'>;

/** Changes of many nodes come together; one pass answers those of this long. */
const gathering = milliseconds(20);
const gathered = (jobs: Iterable<ImagePullJob>): readonly Request[] => [...jobs].map((job) => ({ key: keyOf(job), after: gathering }));

/** A job whose nodes follow from Pods may be for any node. */
const mayChoose = (job: ImagePullJob, nodeImage: NodeImage): boolean => choosesNode(nodeChoiceOf(job.spec), nodeImage) ?? true;

interface Pair {
  readonly before: NodeImage;
  readonly after: NodeImage;
}

/** Names of the images of which anything differs. */
const changedImages = ({ before, after }: Pair): ReadonlySet<string> =>
  new Set([...differing(imagesOf(before), imagesOf(after)), ...differing(imageStatusesOf(before), imageStatusesOf(after))]);

/** Members that are not the same in both. */
const differing = (left: JsonObject, right: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(left), ...Object.keys(right)])].filter((name) => !deepEqual(ownMember(left, name), ownMember(right, name)));

/** Whether what differs in one image concerns a job that wants the tag. */
function concerns({ before, after }: Pair, name: string, tag: string): boolean {
  const [held, next] = [imageAt(before, name), imageAt(after, name)];
  if (next === undefined && held !== undefined) return true;
  if (!deepEqual(held?.pullSecrets, next?.pullSecrets) || !deepEqual(held?.sandboxConfig, next?.sandboxConfig)) return true;
  const find = <T extends { readonly tag: string }>(list: readonly T[]): T | undefined => list.find((entry) => entry.tag === tag);
  return (
    !deepEqual(find(tagsOf(held)), find(tagsOf(next))) || !deepEqual(find(tagStatusesOf(before, name)), find(tagStatusesOf(after, name)))
  );
}

const count = (nodeImage: NodeImage): number => Object.keys(imagesOf(nodeImage)).length;

/** Jobs that gained or lost the node. */
function ofLabels({ before, after }: Pair, jobs: Jobs): readonly ImagePullJob[] {
  if (deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {})) return [];
  const all = jobs.byIndex(activeJobs, 'all');
  return all.filter((job) => choosesNode(nodeChoiceOf(job.spec), before) !== choosesNode(nodeChoiceOf(job.spec), after));
}

/** Jobs of a node that takes images again, or is about to go. */
function ofWhole({ before, after }: Pair, jobs: Jobs): readonly ImagePullJob[] {
  const hasRoomAgain = count(before) >= maxNodeImages && count(after) < maxNodeImages;
  const isLeaving = before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
  return hasRoomAgain || isLeaving ? jobs.byIndex(activeJobs, 'all').filter((job) => mayChoose(job, after)) : [];
}

const ofImage = (pair: Pair, name: string, jobs: Jobs): readonly ImagePullJob[] =>
  jobs
    .byIndex(activeJobs, `image:${name}`)
    .filter((job) => concerns(pair, name, imageTaskOf(job.spec.image)?.tag ?? '') && mayChoose(job, pair.after));

const ofChange = (pair: Pair, jobs: Jobs): ReadonlySet<ImagePullJob> =>
  new Set([...ofLabels(pair, jobs), ...ofWhole(pair, jobs), ...[...changedImages(pair)].flatMap((name) => ofImage(pair, name, jobs))]);

export function requestsOfNodeImage(event: StoreEvent<NodeImage>, jobs: Jobs): readonly Request[] {
  // At the start every job is looked at anyway.
  if (event.kind === 'Added' && event.initial) return [];
  if (event.kind === 'Updated') return gathered(ofChange({ before: event.previous, after: event.object }, jobs));
  return gathered(jobs.byIndex(activeJobs, 'all').filter((job) => mayChoose(job, event.object)));
}

const choosesPod = (job: ImagePullJob, pod: Pod): boolean => {
  const choice = nodeChoiceOf(job.spec);
  return choice.kind === 'Pods' && choice.matcher.matches(pod.metadata.labels);
};

const isPlaced = (pod: Pod): boolean => isPodActive(pod) && (pod.spec.nodeName ?? '') !== '';

export function requestsOfPod(event: StoreEvent<Pod>, jobs: Jobs): readonly Request[] {
  const { object: pod } = event;
  if (event.kind === 'Added' && event.initial) return [];
  const candidates = jobs.byIndex(activeJobs, `pods:${pod.metadata.namespace ?? ''}`);
  if (candidates.length === 0) return [];
  if (event.kind !== 'Updated') return (pod.spec.nodeName ?? '') === '' ? [] : gathered(candidates.filter((job) => choosesPod(job, pod)));
  const { previous } = event;
  const counts = (job: ImagePullJob, one: Pod): boolean => isPlaced(one) && choosesPod(job, one);
  const isSameNode = previous.spec.nodeName === pod.spec.nodeName;
  return gathered(candidates.filter((job) => counts(job, previous) !== counts(job, pod) || (!isSameNode && counts(job, pod))));
}

/** A secret that jobs name appeared, or has another version: what is in it is not held. */
export function requestsOfSource(event: StoreEvent<Secret>, jobs: Jobs): readonly Request[] {
  if (event.kind === 'Deleted' || (event.kind === 'Added' && event.initial)) return [];
  if (event.kind === 'Updated' && event.previous.metadata.resourceVersion === event.object.metadata.resourceVersion) return [];
  return jobs.byIndex(activeJobs, `secret:${formatKey(keyOf(event.object))}`).map(keyOf);
}

/** A copy from before this process, or one that a client deleted: enqueues its users, whether they still exist or not. */
export function requestsOfCopy(event: StoreEvent<Secret>): readonly ObjectKey[] {
  const isOld = event.kind === 'Added' && event.initial;
  return isOld || event.kind === 'Deleted' ? usersOf(event.object).map(parseKey) : [];
}

/** Whether the event is a change of the spec of a completed job, which has no effect. */
export const isEditedAfterEnd = (event: StoreEvent<ImagePullJob>): boolean =>
  event.kind === 'Updated' &&
  event.previous.metadata.generation !== event.object.metadata.generation &&
  event.previous.status?.completionTime !== undefined &&
  event.object.metadata.deletionTimestamp === undefined;

const hasEnded = ({ status }: ImageListPullJob): boolean => status?.completionTime !== undefined;

/** Whether the job is one of a list that waits for others of its jobs: it stays as long, whatever its time to live. */
export function isAwaited(job: ImagePullJob, lists: Pick<StoreReader<ImageListPullJob>, 'get'> | undefined): boolean {
  const owner = controllerOf(job);
  if (owner === undefined || !refersToKind(owner, imageListPullJobs)) return false;
  const list = lists?.get({ namespace: job.metadata.namespace ?? '', name: owner.name });
  return list?.metadata.uid === owner.uid && list.metadata.deletionTimestamp === undefined && !hasEnded(list);
}

/** The jobs of a list that has ended: their time to live counts again. */
export function requestsOfList(event: StoreEvent<ImageListPullJob>, jobs: Pick<StoreReader<ImagePullJob>, 'list'>): readonly ObjectKey[] {
  const { object } = event;
  if (event.kind !== 'Updated' || !hasEnded(object) || hasEnded(event.previous)) return [];
  const { namespace = '', uid } = object.metadata;
  return jobs
    .list({ namespace })
    .filter((job) => isControlledBy(job, uid))
    .map(keyOf);
}
