/** Determines when an in-place update of a Pod is complete. @see spec/inplace-update.md 7 */
import {
  type Container,
  type ContainerStatus,
  type Pod,
  type ResourceRequirements,
  containerStatusOf,
  equalQuantities,
  isSameRepository,
  memoized,
  parseTime,
} from '@kruise/objects';
import { isSameImageRef } from './image-ref.ts';
import { firstInconsistent, legacyPlainHash, plainHash, runtimeMetaOf } from './runtime-meta.ts';
import { type InPlaceUpdateState, graceSpecOf, hasNextBatch, updateStateOf } from './update-state.ts';

/** Whether the update has reached the Pod's containers, or what is still missing. */
export type Completion = { readonly kind: 'Complete' } | { readonly kind: 'Incomplete'; readonly why: string };

const complete: Completion = { kind: 'Complete' };
const incomplete = (why: string): Completion => ({ kind: 'Incomplete', why });

type List = Readonly<Record<string, string>>;

function isEqualList(a: List = {}, b: List = {}): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => equalQuantities(a[name], b[name]));
}

const isEqualResources = (a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean =>
  isEqualList(a?.limits, b?.limits) && isEqualList(a?.requests, b?.requests);

const updatedContainers = (state: InPlaceUpdateState): ReadonlySet<string> =>
  new Set((state.containerBatchesRecord ?? []).flatMap(({ containers }) => containers));

/** `resources` of a container status is newer than the type package. */
type ResizedStatus = ContainerStatus & { readonly resources?: ResourceRequirements };

/** Returns what is not resized. A kubelet that reports no resources for a container that this update does not change does not delay it. */
function unresized(pod: Pod, state: InPlaceUpdateState): string | undefined {
  if ((pod.status?.containerStatuses ?? []).length !== pod.spec.containers.length) return 'the statuses of some containers are missing';
  const updated = updatedContainers(state);
  const late = pod.spec.containers.find((container) => {
    const reported = (containerStatusOf(pod, container.name) as ResizedStatus | undefined)?.resources;
    return reported === undefined ? updated.has(container.name) : !isEqualResources(container.resources, reported);
  });
  return late === undefined ? undefined : `container ${late.name} does not run with its new resources yet`;
}

/** Returns the time of the batch in which a container was changed last. */
const batchTime = (state: InPlaceUpdateState, container: string): string | undefined =>
  state.containerBatchesRecord?.findLast(({ containers }) => containers.includes(container))?.timestamp ?? state.updateTimestamp;

/** `observedGeneration` is newer than the type package. */
const hasSeenSpec = (pod: Pod): boolean => {
  const { observedGeneration } = (pod.status ?? {}) as { readonly observedGeneration?: number };
  return observedGeneration === undefined || observedGeneration >= (pod.metadata.generation ?? 0);
};

/** Returns whether the running container was started for the batch. Times have whole seconds, so an equal one also needs an ended predecessor. */
function hasRestartedSince(pod: Pod, status: ContainerStatus, since: string | undefined): boolean {
  const started = parseTime(status.state?.running?.startedAt);
  const changed = parseTime(since);
  if (started === undefined || changed === undefined || !hasSeenSpec(pod)) return false;
  const ended = parseTime(status.lastState?.terminated?.finishedAt);
  return started > changed || (started === changed && ended !== undefined && ended >= changed);
}

/**
 * Returns whether the node daemon shows that an instance is the one from before a change: created from another spec, and started earlier. A runtime
 * names an image by any of its tags, so that the old instance may be reported with the new name before it is restarted.
 */
function isReportedOld(pod: Pod, container: Container, status: ContainerStatus, since: string | undefined): boolean {
  const meta = (runtimeMetaOf(pod) ?? []).find(({ name }) => name === container.name);
  if (meta === undefined || meta.plainHash === 0 || meta.containerID !== status.containerID) return false;
  if (meta.plainHash === plainHash(container) || meta.plainHash === legacyPlainHash(container)) return false;
  const [started, changed] = [parseTime(status.state?.running?.startedAt), parseTime(since)];
  return started !== undefined && changed !== undefined && started < changed;
}

/** Returns whether a container runs the image that it ran before under the new name, or was restarted since. */
const runsRenamedImage = (pod: Pod, container: Container, status: ContainerStatus, since: string | undefined): boolean =>
  isSameImageRef(status.image, container.image ?? '')
    ? !isReportedOld(pod, container, status, since)
    : hasRestartedSince(pod, status, since);

/** The image of one container before it was changed. */
export interface ImageChange {
  /** The id reported then; undefined when it was never changed. */
  readonly imageID: string | undefined;
  /** RFC 3339 time of the change, or of the Pod's start. */
  readonly since: string | undefined;
}

const digestOf = (imageRef: string): string | undefined => {
  const at = imageRef.indexOf('@');
  return at < 0 ? undefined : imageRef.slice(at + 1);
};

/** Runtimes put their name and `://` before an id. */
const isOfDigest = (imageID: string, imageRef: string): boolean => {
  const id = imageID.slice(imageID.indexOf('://') < 0 ? 0 : imageID.indexOf('://') + 3);
  return digestOf(id) === digestOf(imageRef) && isSameRepository(id, imageRef);
};

/**
 * Returns whether the running instance of a container was created from the present spec, as the node daemon reports. An equal hash of the kubelet is
 * proof. A different one is proof of the opposite only when another container shows that its form is the one computed here.
 */
function reportedToRunSpec(pod: Pod, container: Container, containerID: string): boolean | undefined {
  const metas = runtimeMetaOf(pod) ?? [];
  const meta = metas.find(({ name }) => name === container.name);
  if (meta === undefined || meta.plainHash === 0 || containerID === '' || meta.containerID !== containerID) return undefined;
  if (meta.plainHash === plainHash(container) || meta.plainHash === legacyPlainHash(container)) return true;
  const hashes = new Map(metas.map((other) => [other.name, other.plainHash]).toReversed() as [string, number][]);
  const isPresentForm = pod.spec.containers.some((other) => hashes.get(other.name) === plainHash(other));
  return isPresentForm ? false : undefined;
}

/**
 * Returns whether one container runs the image of the Pod's spec, or at least an instance that the kubelet started for it: the same image under a new
 * name counts once the container was restarted.
 *
 * @returns false for a container without a status, and while an old instance is still ending
 * @see spec/sidecarset.md 5.7
 */
export function runsSpecImage(pod: Pod, container: Container, { imageID, since }: ImageChange): boolean {
  const status = containerStatusOf(pod, container.name);
  if (status === undefined) return false;
  const reported = reportedToRunSpec(pod, container, status.containerID ?? '');
  if (reported !== undefined) return reported;
  const image = container.image ?? '';
  if (digestOf(image) !== undefined) return isOfDigest(status.imageID, image) || hasRestartedSince(pod, status, since);
  if (imageID === undefined) return true;
  if (status.imageID !== imageID) return status.imageID !== '';
  return runsRenamedImage(pod, container, status, since);
}

/** Returns whether a container waits for its image: it does not run and has no image id, neither the old nor the new one. */
const hasNoImage = ({ imageID, state }: ContainerStatus): boolean => imageID === '' && state?.running === undefined;

function runsOldImage(pod: Pod, name: string, imageID: string, state: InPlaceUpdateState): boolean {
  const status = containerStatusOf(pod, name);
  if (status === undefined || hasNoImage(status)) return true;
  if (status.imageID !== imageID) return false;
  const container = pod.spec.containers.find((held) => held.name === name) ?? { name };
  return !runsRenamedImage(pod, container, status, batchTime(state, name));
}

function imagesByStatus(pod: Pod, state: InPlaceUpdateState): Completion {
  const late = Object.entries(state.lastContainerStatuses ?? {}).find(([name, { imageID }]) => runsOldImage(pod, name, imageID, state));
  return late === undefined ? complete : incomplete(`container ${late[0]} does not run its new image yet`);
}

function unfedEnv(pod: Pod): string | undefined {
  const metas = runtimeMetaOf(pod);
  if (metas === undefined) return 'the node has not reported the environment of the containers';
  const late = firstInconsistent(pod, metas, 'MetadataEnv');
  return late === undefined ? undefined : `container ${late} does not run with its new environment yet`;
}

/**
 * Returns whether the containers run as the batches applied so far require.
 *
 * @param isScalingOn gate InPlaceWorkloadVerticalScaling
 */
export function containersCompletion(pod: Pod, state: InPlaceUpdateState, isScalingOn: boolean): Completion {
  const obstacle =
    (state.updateEnvFromMetadata === true ? unfedEnv(pod) : undefined) ??
    (isScalingOn && state.updateResources === true ? unresized(pod, state) : undefined);
  if (obstacle !== undefined) return incomplete(obstacle);
  const metas = runtimeMetaOf(pod);
  if (metas !== undefined && firstInconsistent(pod, metas, 'Plain') === undefined) return complete;
  return imagesByStatus(pod, state);
}

function completionOf(pod: Pod, isScalingOn: boolean): Completion {
  if (graceSpecOf(pod).kind !== 'Absent') return incomplete('the grace period is not over');
  const state = updateStateOf(pod);
  if (state.kind === 'Absent') return complete;
  if (state.kind === 'Malformed') return incomplete(`the state annotation cannot be read: ${state.why}`);
  if (hasNextBatch(state.value)) return incomplete('containers wait for a later batch');
  return containersCompletion(pod, state.value, isScalingOn);
}

const withScaling = memoized((pod: Pod) => completionOf(pod, true));
const withoutScaling = memoized((pod: Pod) => completionOf(pod, false));

/**
 * Returns whether the Pod's update is complete as a whole: no grace period, no remaining batch, containers as required. A Pod that never had one is
 * complete.
 *
 * @param pod an object that is never changed: the answer is remembered, as it parses annotations and hashes containers
 * @param isScalingOn gate InPlaceWorkloadVerticalScaling
 */
export const updateCompletion = (pod: Pod, isScalingOn: boolean): Completion => (isScalingOn ? withScaling(pod) : withoutScaling(pod));
