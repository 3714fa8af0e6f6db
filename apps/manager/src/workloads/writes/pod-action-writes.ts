/**
 * What upkeep and updates of Pods do at the API server: one `case` an action, no policy. Every action may be repeated: a deleted Pod needs
 * nothing, and after a conflict the Pod is read again.
 * @see spec/inplace-update.md 6
 */
import { podConditions } from '@kruise/api';
import { ApiError, conflictPresets, isFailure, retryOnConflict, unlessDeleted } from '@kruise/kube';
import { isPodReady, keyOf, podCondition, pods, unreachable, type Pod } from '@kruise/objects';
import {
  addNotReadyKey,
  afterResize,
  lifecycleMetadata,
  mustLeaveService,
  planRefresh,
  removeNotReadyKey,
  resizePatch,
  startUpdate,
  takeOutOfService,
  updateStateOf,
  type AppliedUpdate,
  type LifecycleTransition,
  type ResizePatch,
  type ResourceWriting,
  type RevisionAdapter,
} from '@kruise/pods';
import type { PodAction } from '@kruise/workloads';
import { changePod, patchChanged, patchPod, type PodWriter } from '../../writes/pod-writes.ts';
import { setOwners } from '../ownership.ts';

type ActionOf<K extends PodAction['kind']> = Extract<PodAction, { readonly kind: K }>;

/** The events of updates, in the words of the kind. */
export interface UpdateEvents {
  updatedInPlace(pod: string, revision: string): void;
  failedUpdateInPlace(error: unknown, pod: string, revision: string): void;
}

export interface PodActionWriter extends PodWriter {
  readonly events: UpdateEvents;
  readonly adapter: RevisionAdapter;
  readonly resources: ResourceWriting;
  /** Pods have a lifecycle state only while their deletion is prepared: an update writes none. */
  readonly statesOfDeletionOnly?: boolean;
  /** Updates were refused lately: a dry run finds out whether one is accepted before the Pod is taken out of service for it. */
  readonly triesFirst?: boolean;
}

/** Changes a Pod's status and retries after conflicts, for which it reads the Pod again. @returns the changed Pod */
const changeStatus = (seen: Pod, change: (pod: Pod) => Pod, { client, clock }: PodActionWriter, signal: AbortSignal): Promise<Pod> =>
  changePod(seen, change, { client, clock, subresource: 'status' }, signal);

/** Runs `write` on the Pod as seen, after a conflict on the Pod as it is. */
const writePod = (seen: Pod, write: (pod: Pod) => Promise<Pod>, { client, clock }: PodActionWriter, signal: AbortSignal): Promise<Pod> =>
  retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (readFrom) => {
    const pod = readFrom === 'Cache' ? seen : await client.get(pods, keyOf(seen), { signal });
    if (pod.metadata.uid !== seen.metadata.uid)
      throw new ApiError(`Pod ${seen.metadata.name} was replaced by another`, { kind: 'NotFound' });
    return write(pod);
  });

/**
 * Begins an update. A plan updates a Pod that is not ready without using budget, so that only the version it decided on is updated: the Pod may have
 * become ready since, while the watch is late.
 *
 * @throws a Conflict when a Pod that was not ready has changed; the next pass decides on the version that it sees
 */
const beginOn = (seen: Pod, write: (pod: Pod) => Promise<Pod>, writer: PodActionWriter, signal: AbortSignal): Promise<Pod> =>
  isPodReady(seen) ? writePod(seen, write, writer, signal) : write(seen);

/** Changes metadata by a strategic merge patch of exactly this Pod, in any version. */
export const patchMetadata = (
  { metadata }: Pod,
  change: object,
  { client }: Pick<PodActionWriter, 'client'>,
  signal: AbortSignal,
): Promise<Pod> => client.patch(pods, keyOf({ metadata }), { metadata: { uid: metadata.uid, ...change } }, { type: 'strategic', signal });

/** The lifecycle state is written before the not-ready key is added and after it is removed, so that it always explains the key. */
async function setLifecycle(
  pod: Pod,
  { readiness, patch }: LifecycleTransition,
  writer: PodActionWriter,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = writer;
  const change = (seen: Pod, by: typeof addNotReadyKey): Promise<Pod> =>
    readiness === undefined ? Promise.resolve(seen) : changeStatus(seen, (held) => by(held, readiness.key, clock.now()), writer, signal);
  if (readiness?.kind === 'RemoveKey') await change(pod, removeNotReadyKey);
  const marked = patch === undefined ? pod : await patchMetadata(pod, patch.metadata, writer, signal);
  if (readiness?.kind === 'AddKey') await change(marked, addNotReadyKey);
}

/** Of exactly the Pod that was looked at: what others have written since would be taken back. */
function writeResize(before: Pod, resize: ResizePatch, { client }: PodActionWriter, signal: AbortSignal): Promise<Pod> {
  const { uid, resourceVersion } = before.metadata;
  const exactly = { metadata: { uid, resourceVersion }, ...resize };
  return client.patch(pods, keyOf(before), exactly, { type: 'strategic', subresource: 'resize', signal });
}

/** A resize, where there is one, then the Pod itself with the resources that the resize answered. */
async function writeUpdate(
  before: Pod,
  { pod, resize }: Pick<AppliedUpdate, 'pod' | 'resize'>,
  writer: PodActionWriter,
  signal: AbortSignal,
): Promise<Pod> {
  if (resize === undefined) return patchPod({ before, after: pod }, writer, signal);
  const resized = await writeResize(before, resize, writer, signal);
  return patchPod({ before: resized, after: afterResize(pod, resized) }, writer, signal);
}

/**
 * A Pod that was updated, or taken out of service for an update that did not begin, gets the condition on exactly the version that was read,
 * because on a newer one its next update may have begun; the reason of the replaced condition is dropped. A Pod that never had the condition can
 * get it on any version, which avoids conflicts with scheduler and kubelet while it starts.
 *
 * The lifecycle state is part of the same write: the status subresource of Pods accepts labels and annotations, too.
 */
async function setReady(
  { pod, alongside }: ActionOf<'RefreshPod'>,
  ready: Pod,
  writer: PodActionWriter,
  signal: AbortSignal,
): Promise<Pod> {
  const { labels: newLabels, annotations } = alongside ?? {};
  if (updateStateOf(pod).kind !== 'Absent' || podCondition(pod, podConditions.inPlaceUpdateReady) !== undefined) {
    const { metadata } = ready;
    const moved = { labels: { ...metadata.labels, ...newLabels }, annotations: { ...metadata.annotations, ...annotations } };
    const after = alongside === undefined ? ready : { ...ready, metadata: { ...metadata, ...moved } };
    return patchPod({ before: pod, after, subresource: 'status' }, writer, signal);
  }
  const condition = podCondition(ready, podConditions.inPlaceUpdateReady);
  const metadata = { uid: pod.metadata.uid, ...(alongside === undefined ? {} : { labels: newLabels, annotations }) };
  // A condition that the cache has not seen yet may be there all the same, and a merge by type would keep its words.
  const patch = { metadata, status: { conditions: [{ ...condition, reason: null, message: null }] } };
  const written = await writer.client.patch(pods, keyOf(pod), patch, { type: 'strategic', subresource: 'status', signal });
  // An update that this process knew nothing of (another one led when it began) has taken the Pod out of service: there it belongs.
  const isBeingUpdated = updateStateOf(written).kind !== 'Absent';
  return isBeingUpdated ? changeStatus(written, (held) => takeOutOfService(held, writer.clock.now()), writer, signal) : written;
}

/** A refusal of a later step of an update is reported like one of the first step: the user waits for the same Pod. */
async function continueUpdate(pod: Pod, { state, ...update }: AppliedUpdate, writer: PodActionWriter, signal: AbortSignal): Promise<void> {
  try {
    await unlessDeleted(writeUpdate(pod, update, writer, signal));
  } catch (error) {
    if (!isFailure(error, 'Conflict')) writer.events.failedUpdateInPlace(error, pod.metadata.name, state.revision);
    throw error;
  }
}

async function refreshPod(action: ActionOf<'RefreshPod'>, writer: PodActionWriter, signal: AbortSignal): Promise<void> {
  const { pod, step } = action;
  switch (step.kind) {
    case 'SetReady':
      await unlessDeleted(setReady(action, step.pod, writer, signal));
      return;
    case 'DropGrace':
      await unlessDeleted(patchPod({ before: pod, after: step.pod }, writer, signal));
      return;
    case 'ApplyGrace':
    case 'NextBatch':
      return continueUpdate(pod, step.update, writer, signal);
    default:
      return unreachable(step);
  }
}

/** The update of a Pod, as it begins. */
function beginningOf(held: Pod, { spec }: ActionOf<'UpdatePodInPlace'>, writer: PodActionWriter): AppliedUpdate {
  const { adapter, resources, clock, statesOfDeletionOnly = false } = writer;
  const now = clock.now();
  const alongside = statesOfDeletionOnly ? {} : { alongside: lifecycleMetadata('Updating', now) };
  return startUpdate(held, spec, { adapter, now, resources, ...alongside });
}

/** A resize and the write that follows it are tried each by itself: the second one leaves the resources as they are. */
async function tryUpdate(pod: Pod, action: ActionOf<'UpdatePodInPlace'>, writer: PodActionWriter, signal: AbortSignal): Promise<void> {
  const { pod: after, resize } = beginningOf(pod, action, writer);
  if (resize !== undefined)
    await writer.client.patch(pods, keyOf(pod), { ...resize }, { type: 'strategic', subresource: 'resize', dryRun: true, signal });
  await patchPod({ before: pod, after, dryRun: true }, writer, signal);
}

/**
 * Puts a Pod back that was taken out of service for an update which did not begin, unless an earlier update still needs it there. The Pod is read again
 * after a conflict, as the update may have begun although no answer came. What fails here is left to the upkeep of the next pass.
 */
async function putBack(pod: Pod, writer: PodActionWriter, signal: AbortSignal): Promise<void> {
  const { adapter, resources, clock } = writer;
  const back = (held: Pod): Pod => {
    const step = planRefresh(held, { adapter, resources, now: clock.now() });
    return step.kind === 'SetReady' ? step.pod : held;
  };
  await changeStatus(pod, back, writer, signal).catch(() => undefined);
}

async function leaveAndUpdate(action: ActionOf<'UpdatePodInPlace'>, writer: PodActionWriter, signal: AbortSignal): Promise<void> {
  if (writer.triesFirst === true) await tryUpdate(action.pod, action, writer, signal);
  const leave = (seen: Pod): Promise<Pod> =>
    patchChanged(seen, (pod) => takeOutOfService(pod, writer.clock.now()), { client: writer.client, subresource: 'status' }, signal);
  const outOfService = await beginOn(action.pod, leave, writer, signal);
  try {
    await writePod(outOfService, (held) => writeUpdate(held, beginningOf(held, action, writer), writer, signal), writer, signal);
  } catch (error) {
    await putBack(outOfService, writer, signal);
    throw error;
  }
}

async function updateInPlace(action: ActionOf<'UpdatePodInPlace'>, writer: PodActionWriter, signal: AbortSignal): Promise<void> {
  const { pod, spec } = action;
  const { resources, events } = writer;
  try {
    if (mustLeaveService(pod, spec, resources !== 'Ignored')) await leaveAndUpdate(action, writer, signal);
    else await beginOn(pod, (held) => writeUpdate(held, beginningOf(held, action, writer), writer, signal), writer, signal);
  } catch (error) {
    if (!isFailure(error, 'Conflict')) events.failedUpdateInPlace(error, pod.metadata.name, spec.revision);
    throw error;
  }
  events.updatedInPlace(pod.metadata.name, spec.revision);
}

/** Does nothing if the Pod has the amounts by now. A refusal is reported like that of an update: the user waits for the same Pod. */
async function resizePod({ pod, revision, resources }: ActionOf<'ResizePod'>, writer: PodActionWriter, signal: AbortSignal): Promise<void> {
  const wanted = new Map(Object.entries(resources));
  const write = async (held: Pod): Promise<Pod> => {
    const resize = resizePatch(held, wanted);
    return resize === undefined ? held : writeResize(held, resize, writer, signal);
  };
  try {
    await unlessDeleted(writePod(pod, write, writer, signal));
  } catch (error) {
    writer.events.failedUpdateInPlace(error, pod.metadata.name, revision);
    throw error;
  }
}

/** Does one action; throws what the API server refused. */
export async function writePodAction(action: PodAction, writer: PodActionWriter, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'RefreshPod':
      return refreshPod(action, writer, signal);
    case 'SetLifecycle':
      return void (await unlessDeleted(setLifecycle(action.pod, action.transition, writer, signal)));
    case 'LabelPod':
      return void (await unlessDeleted(patchMetadata(action.pod, { labels: action.labels }, writer, signal)));
    case 'UpdatePodInPlace':
      return updateInPlace(action, writer, signal);
    case 'ResizePod':
      return resizePod(action, writer, signal);
    case 'ReleasePod':
      return setOwners(writer.client, pods, { object: action.pod, owners: action.ownerReferences }, signal);
    default:
      return unreachable(action);
  }
}
