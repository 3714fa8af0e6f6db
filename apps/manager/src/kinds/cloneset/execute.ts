/**
 * What each action does at the API server: one `case` an action, no policy. Every one may be repeated: what is gone is gone, what exists and
 * is ours is taken as made, and a conflict is answered by reading anew.
 */
import { cloneSets, imagePullJobs, labels, podConditions, type CloneSet } from '@kruise/api';
import { ApiError, conflictPresets, deleteExactly, isFailure, retryOnConflict, unlessGone } from '@kruise/kube';
import {
  controllerRevisions,
  isOwnedBy,
  keyOf,
  persistentVolumeClaims,
  podCondition,
  pods as podType,
  unreachable,
  type ControllerRevision,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import {
  addNotReadyKey,
  afterNameCollision,
  afterResize,
  lifecycleMetadata,
  mustLeaveService,
  removeNotReadyKey,
  revisionBody,
  startUpdate,
  takeOutOfService,
  updateStateOf,
  type AppliedUpdate,
  type LifecycleTransition,
} from '@kruise/pods';
import { changePod, patchPod } from '../../writes/pod-writes.ts';
import type { Action, ActionOf } from './action.ts';
import { adapterOf, isOf } from './pod-facts.ts';
import type { Io } from './io.ts';
import { createImagePullJob, labelRevision } from './predownload-execute.ts';

/** Creates an object that may exist already: ours counts as created, another's is an error. */
async function ensureOwned<T extends KubeObject>(type: ResourceType<T>, object: T, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await io.client.create(type, object, { signal });
  } catch (error) {
    if (!isFailure(error, 'AlreadyExists')) throw error;
    const holder = await io.client.get(type, keyOf(object), { signal });
    if (isOwnedBy(holder, io.cloneSet.metadata.uid) && holder.metadata.deletionTimestamp === undefined) return;
    throw error;
  }
}

async function createRevision({ attempt }: ActionOf<'CreateRevision'>, io: Io, signal: AbortSignal): Promise<void> {
  for (let next = attempt; ;) {
    try {
      await io.client.create(controllerRevisions, next.revision, { text: revisionBody(next.revision), signal });
      return io.onCollisionCount(next.collisionCount);
    } catch (error) {
      if (!isFailure(error, 'AlreadyExists')) throw error;
      const step = afterNameCollision(next, await io.client.get(controllerRevisions, keyOf(next.revision), { signal }));
      if (step.kind === 'UseExisting') return io.onCollisionCount(next.collisionCount);
      next = step.attempt;
    }
  }
}

/** Owner references are a list that a merge patch replaces as a whole, on the version that was seen. */
function setOwners(
  type: ResourceType,
  { object, owners }: { readonly object: KubeObject; readonly owners: readonly OwnerReference[] },
  io: Io,
  signal: AbortSignal,
): Promise<unknown> {
  const { uid, resourceVersion } = object.metadata;
  return unlessGone(
    io.client.patch(type, keyOf(object), { metadata: { uid, resourceVersion, ownerReferences: owners } }, { type: 'merge', signal }),
  );
}

/** Claims are those of today, so that an older template may mount one that is no longer made. */
function explainedFor(pod: Pod, error: unknown, { cloneSet: { status }, context }: Io): unknown {
  const { currentRevision = '', updateRevision = '' } = status ?? {};
  const isOld = currentRevision !== updateRevision && isOf(context, pod, currentRevision);
  if (!isOld || !isFailure(error, 'Invalid')) return error;
  const why = `Pods of revision ${currentRevision}, which the partition asks for, cannot be created with the claims of today: ${error.message}`;
  return new ApiError(why, error.failure, { code: 422, reason: error.reason, causes: error.causes });
}

async function createPod({ pod, claims }: ActionOf<'CreatePod'>, io: Io, signal: AbortSignal): Promise<void> {
  for (const claim of claims) {
    try {
      await ensureOwned(persistentVolumeClaims, claim, io, signal);
    } catch (error) {
      io.events.failedCreateClaim(error, claim);
      throw error;
    }
  }
  try {
    await ensureOwned(podType, pod, io, signal);
  } catch (error) {
    io.events.failedCreatePod(error, pod);
    throw explainedFor(pod, error, io);
  }
  io.events.created(pod.metadata.name);
}

/** @param failed the event of this deletion: of a Pod's claims, or of one that is left over */
async function deleteClaim(
  claim: PersistentVolumeClaim,
  failed: 'failedDeleteClaim' | 'failedCleanUpClaim',
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  try {
    await deleteExactly(io.client, persistentVolumeClaims, claim, { signal });
  } catch (error) {
    io.events[failed](error, claim.metadata.name);
    throw error;
  }
}

async function deletePod({ pod, claims }: ActionOf<'DeletePod'>, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await deleteExactly(io.client, podType, pod, { signal });
  } catch (error) {
    io.events.failedDeletePod(error, pod.metadata.name);
    throw error;
  }
  io.events.deleted(pod.metadata.name);
  for (const claim of claims) await deleteClaim(claim, 'failedDeleteClaim', io, signal);
}

/** Changes a Pod's status until it sticks: conflicts read the Pod anew. @returns the Pod as it is afterwards */
const changeStatus = (seen: Pod, change: (pod: Pod) => Pod, { client, clock }: Io, signal: AbortSignal): Promise<Pod> =>
  changePod(seen, change, { client, clock, subresource: 'status' }, signal);

/** Runs `write` on the Pod as seen, after a conflict on the Pod as it is. */
const writePod = (seen: Pod, write: (pod: Pod) => Promise<Pod>, io: Io, signal: AbortSignal): Promise<Pod> =>
  retryOnConflict(conflictPresets.defaultBackoff, { clock: io.clock, signal }, async (readFrom) => {
    const pod = readFrom === 'Cache' ? seen : await io.client.get(podType, keyOf(seen), { signal });
    if (pod.metadata.uid !== seen.metadata.uid)
      throw new ApiError(`Pod ${seen.metadata.name} was replaced by another`, { kind: 'NotFound' });
    return write(pod);
  });

async function setLifecycle(pod: Pod, { readiness, patch }: LifecycleTransition, io: Io, signal: AbortSignal): Promise<void> {
  if (readiness !== undefined) {
    const change = readiness.kind === 'AddKey' ? addNotReadyKey : removeNotReadyKey;
    await changeStatus(pod, (held) => change(held, readiness.key, io.clock.now()), io, signal);
  }
  if (patch !== undefined)
    await io.client.patch(podType, keyOf(pod), { metadata: { uid: pod.metadata.uid, ...patch.metadata } }, { type: 'strategic', signal });
}

/** A resize, where there is one, then the Pod itself with the resources that the resize answered. */
async function writeUpdate(before: Pod, { pod, resize }: Pick<AppliedUpdate, 'pod' | 'resize'>, io: Io, signal: AbortSignal): Promise<Pod> {
  if (resize === undefined) return patchPod({ before, after: pod }, io, signal);
  const resized = await io.client.patch(podType, keyOf(before), resize, { type: 'strategic', subresource: 'resize', signal });
  return patchPod({ before: resized, after: afterResize(pod, resized) }, io, signal);
}

/**
 * A Pod that was updated, or taken out of service for an update that did not begin, gets the condition on exactly the version that was looked at:
 * on a newer one its next update may have begun; and without the reason of the condition that it replaces. One that never had the condition can
 * get it on any version, which spares the conflicts with scheduler and kubelet while it starts.
 *
 * The lifecycle state goes with it: the status subresource of Pods takes labels and annotations, too.
 */
async function setReady({ pod, alongside }: ActionOf<'RefreshPod'>, ready: Pod, io: Io, signal: AbortSignal): Promise<unknown> {
  const { labels: newLabels, annotations } = alongside ?? {};
  if (updateStateOf(pod).kind !== 'Absent' || podCondition(pod, podConditions.inPlaceUpdateReady) !== undefined) {
    const { metadata } = ready;
    const moved = { labels: { ...metadata.labels, ...newLabels }, annotations: { ...metadata.annotations, ...annotations } };
    const after = alongside === undefined ? ready : { ...ready, metadata: { ...metadata, ...moved } };
    return patchPod({ before: pod, after, subresource: 'status' }, io, signal);
  }
  const condition = podCondition(ready, podConditions.inPlaceUpdateReady);
  const metadata = { uid: pod.metadata.uid, ...(alongside === undefined ? {} : { labels: newLabels, annotations }) };
  return io.client.patch(
    podType,
    keyOf(pod),
    { metadata, status: { conditions: [condition] } },
    { type: 'strategic', subresource: 'status', signal },
  );
}

/** A later step of an update that is refused is told like a first one: the user waits for the same Pod. */
async function continueUpdate(pod: Pod, { state, ...update }: AppliedUpdate, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await unlessGone(writeUpdate(pod, update, io, signal));
  } catch (error) {
    if (!isFailure(error, 'Conflict')) io.events.failedUpdateInPlace(error, pod.metadata.name, state.revision);
    throw error;
  }
}

async function refreshPod(action: ActionOf<'RefreshPod'>, io: Io, signal: AbortSignal): Promise<void> {
  const { pod, step } = action;
  switch (step.kind) {
    case 'SetReady':
      await unlessGone(setReady(action, step.pod, io, signal));
      return;
    case 'DropGrace':
      await unlessGone(patchPod({ before: pod, after: step.pod }, io, signal));
      return;
    case 'ApplyGrace':
    case 'NextBatch':
      return continueUpdate(pod, step.update, io, signal);
    default:
      return unreachable(step);
  }
}

async function updatePodInPlace({ pod, spec }: ActionOf<'UpdatePodInPlace'>, io: Io, signal: AbortSignal): Promise<void> {
  const { context, clock, events } = io;
  try {
    const leaves = mustLeaveService(pod, spec, context.resources !== 'Ignored');
    const outOfService = leaves ? await changeStatus(pod, (held) => takeOutOfService(held, clock.now()), io, signal) : pod;
    await writePod(
      outOfService,
      (held) => {
        const now = clock.now();
        return writeUpdate(
          held,
          startUpdate(held, spec, {
            adapter: adapterOf(context),
            now,
            resources: context.resources,
            alongside: lifecycleMetadata('Updating', now),
          }),
          io,
          signal,
        );
      },
      io,
      signal,
    );
  } catch (error) {
    events.failedUpdateInPlace(error, pod.metadata.name, spec.revision);
    throw error;
  }
  events.updatedInPlace(pod.metadata.name, spec.revision);
}

async function recreatePod({ pod, revision }: ActionOf<'RecreatePod'>, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await io.client.patch(
      podType,
      keyOf(pod),
      { metadata: { uid: pod.metadata.uid, labels: { [labels.specifiedDelete]: 'true' } } },
      { type: 'strategic', signal },
    );
  } catch (error) {
    io.events.failedMarkForRecreation(error, pod.metadata.name, revision);
    throw error;
  }
  io.events.markedForRecreation(pod.metadata.name, revision);
}

async function handOverClaim({ claim, ownerReferences }: ActionOf<'HandOverClaim'>, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await setOwners(persistentVolumeClaims, { object: claim, owners: ownerReferences }, io, signal);
  } catch (error) {
    io.events.failedUpdateClaim(error, claim.metadata.name);
    throw error;
  }
}

const setPodsToDelete = (cloneSet: CloneSet, names: readonly string[], io: Io, signal: AbortSignal): Promise<unknown> => {
  const precondition = { uid: cloneSet.metadata.uid, resourceVersion: cloneSet.metadata.resourceVersion };
  const podsToDelete = names.length === 0 ? null : names;
  return io.client.patch(
    cloneSets,
    keyOf(cloneSet),
    { metadata: precondition, spec: { scaleStrategy: { podsToDelete } } },
    { type: 'merge', signal },
  );
};

const bumpRevision = (revision: ControllerRevision, io: Io, signal: AbortSignal): Promise<unknown> => {
  const { annotations, uid, resourceVersion } = revision.metadata;
  const key: ObjectKey = keyOf(revision);
  return io.client.patch(
    controllerRevisions,
    key,
    { metadata: { uid, resourceVersion, annotations }, revision: revision.revision },
    { type: 'merge', signal },
  );
};

/** Does one action; throws what the API server refused. */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreateRevision':
      return createRevision(action, io, signal);
    case 'BumpRevision':
      return void (await bumpRevision(action.revision, io, signal));
    case 'ReleasePod':
      return void (await setOwners(podType, { object: action.pod, owners: action.ownerReferences }, io, signal));
    case 'HandOverClaim':
      return handOverClaim(action, io, signal);
    case 'DeleteClaim':
      return deleteClaim(action.claim, 'failedCleanUpClaim', io, signal);
    case 'CreatePod':
      return createPod(action, io, signal);
    case 'DeletePod':
      return deletePod(action, io, signal);
    case 'SetLifecycle':
      return void (await unlessGone(setLifecycle(action.pod, action.transition, io, signal)));
    case 'RefreshPod':
      return refreshPod(action, io, signal);
    case 'LabelPod':
      return void (await unlessGone(
        io.client.patch(
          podType,
          keyOf(action.pod),
          { metadata: { uid: action.pod.metadata.uid, labels: action.labels } },
          { type: 'strategic', signal },
        ),
      ));
    case 'UpdatePodInPlace':
      return updatePodInPlace(action, io, signal);
    case 'RecreatePod':
      return recreatePod(action, io, signal);
    case 'SetPodsToDelete':
      return void (await setPodsToDelete(io.cloneSet, action.names, io, signal));
    case 'CreateImagePullJob':
      return createImagePullJob(action, io, signal);
    case 'DeleteImagePullJob':
      return deleteExactly(io.client, imagePullJobs, action.job, { signal });
    case 'LabelRevision':
      return labelRevision(action, io, signal);
    case 'DeleteRevision':
      return deleteExactly(io.client, controllerRevisions, action.revision, { signal });
    default:
      return unreachable(action);
  }
}
