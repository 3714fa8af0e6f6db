/**
 * What each action does at the API server: one `case` an action, no policy. Every one may be repeated: what is gone is gone, what exists and
 * is ours is taken as made, and a conflict is answered by reading anew.
 */
import { cloneSets, labels, podConditions, type CloneSet } from '@kruise/api';
import { ApiError, conflictPresets, isFailure, retryOnConflict, type Client, type Clock } from '@kruise/kube';
import {
  controllerRevisions,
  createStrategicMergePatch,
  isOwnedBy,
  keyOf,
  persistentVolumeClaims,
  podCondition,
  podPatchSchema,
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
import type { Action, ActionOf, RefreshWrite } from './action.ts';
import type { CloneSetEvents } from './events.ts';
import { adapterOf } from './pod-facts.ts';
import { createImagePullJob, deleteImagePullJob, labelRevision } from './predownload-execute.ts';
import type { Context } from './snapshot.ts';

/** What executing needs; one for each pass. */
export interface Io {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: CloneSetEvents;
  readonly cloneSet: CloneSet;
  readonly at: Context;
  /** Raised when a revision's name was taken; goes into the status. */
  onCollisionCount(count: number): void;
}

/** Runs `call`; an object that is not there any more is as good as done. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return undefined;
    throw error;
  }
}

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

const deleteExactly = <T extends KubeObject>(type: ResourceType<T>, object: T, io: Io, signal: AbortSignal): Promise<unknown> =>
  unlessGone(
    io.client.delete(type, keyOf(object), {
      preconditions: { ...(object.metadata.uid === undefined ? {} : { uid: object.metadata.uid }) },
      signal,
    }),
  );

async function createPod({ pod, claims }: ActionOf<'CreatePod'>, io: Io, signal: AbortSignal): Promise<void> {
  for (const claim of claims) {
    try {
      await ensureOwned(persistentVolumeClaims, claim, io, signal);
    } catch (error) {
      io.events.failedCreateClaim(error, claim.metadata.name);
      throw error;
    }
  }
  try {
    await ensureOwned(podType, pod, io, signal);
  } catch (error) {
    io.events.failedCreatePod(error, pod.metadata.name);
    throw error;
  }
  io.events.created(pod.metadata.name);
}

async function deleteClaim(claim: PersistentVolumeClaim, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await deleteExactly(persistentVolumeClaims, claim, io, signal);
  } catch (error) {
    io.events.failedDeleteClaim(error, claim.metadata.name);
    throw error;
  }
}

async function deletePod({ pod, claims }: ActionOf<'DeletePod'>, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await deleteExactly(podType, pod, io, signal);
  } catch (error) {
    io.events.failedDeletePod(error, pod.metadata.name);
    throw error;
  }
  io.events.deleted(pod.metadata.name);
  for (const claim of claims) await deleteClaim(claim, io, signal);
}

interface PodChange {
  readonly before: Pod;
  readonly after: Pod;
  readonly subresource?: 'status';
}

/** The Pod as a strategic merge patch from what it was, on the version that it was read in. */
const patchPod = ({ before, after, subresource }: PodChange, io: Io, signal: AbortSignal): Promise<Pod> => {
  const patch = createStrategicMergePatch({ ...before }, { ...after }, podPatchSchema) as { readonly metadata?: object };
  const precondition = { uid: before.metadata.uid, resourceVersion: before.metadata.resourceVersion };
  return io.client.patch(
    podType,
    keyOf(before),
    { ...patch, metadata: { ...patch.metadata, ...precondition } },
    { type: 'strategic', signal, ...(subresource === undefined ? {} : { subresource }) },
  );
};

/** Changes a Pod's status until it sticks: conflicts read the Pod anew. @returns the Pod as it is afterwards */
const changeStatus = (seen: Pod, change: (pod: Pod) => Pod, io: Io, signal: AbortSignal): Promise<Pod> =>
  changePod(
    seen,
    async (pod) => {
      const after = change(pod);
      return after === pod ? pod : patchPod({ before: pod, after, subresource: 'status' }, io, signal);
    },
    io,
    signal,
  );

/** Runs `write` on the Pod as seen, after a conflict on the Pod as it is. */
const changePod = (seen: Pod, write: (pod: Pod) => Promise<Pod>, io: Io, signal: AbortSignal): Promise<Pod> =>
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
 * A Pod that was updated gets the condition on exactly the version that was looked at: on a newer one its next update may have begun. One
 * that never was can get it on any version, which spares the conflicts with scheduler and kubelet while it starts.
 */
async function setReady(pod: Pod, ready: Pod, io: Io, signal: AbortSignal): Promise<unknown> {
  if (updateStateOf(pod).kind !== 'Absent') return patchPod({ before: pod, after: ready, subresource: 'status' }, io, signal);
  const condition = podCondition(ready, podConditions.inPlaceUpdateReady);
  return io.client.patch(
    podType,
    keyOf(pod),
    { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } },
    { type: 'strategic', subresource: 'status', signal },
  );
}

async function refreshPod(pod: Pod, step: RefreshWrite, io: Io, signal: AbortSignal): Promise<void> {
  switch (step.kind) {
    case 'SetReady':
      await unlessGone(setReady(pod, step.pod, io, signal));
      return;
    case 'DropGrace':
      await unlessGone(patchPod({ before: pod, after: step.pod }, io, signal));
      return;
    case 'ApplyGrace':
    case 'NextBatch':
      await unlessGone(writeUpdate(pod, step.update, io, signal));
      return;
    default:
      return unreachable(step);
  }
}

async function updatePodInPlace({ pod, spec }: ActionOf<'UpdatePodInPlace'>, io: Io, signal: AbortSignal): Promise<void> {
  const { at, clock, events } = io;
  try {
    const leaves = mustLeaveService(pod, spec, at.resources !== 'Ignored');
    const outOfService = leaves ? await changeStatus(pod, (held) => takeOutOfService(held, clock.now()), io, signal) : pod;
    await changePod(
      outOfService,
      (held) => {
        const now = clock.now();
        return writeUpdate(
          held,
          startUpdate(held, spec, { adapter: adapterOf(at), now, resources: at.resources, alongside: lifecycleMetadata('Updating', now) }),
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
      return deleteClaim(action.claim, io, signal);
    case 'CreatePod':
      return createPod(action, io, signal);
    case 'DeletePod':
      return deletePod(action, io, signal);
    case 'SetLifecycle':
      return void (await unlessGone(setLifecycle(action.pod, action.transition, io, signal)));
    case 'RefreshPod':
      return refreshPod(action.pod, action.step, io, signal);
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
      return deleteImagePullJob(action.job, io, signal);
    case 'LabelRevision':
      return labelRevision(action, io, signal);
    case 'DeleteRevision':
      return void (await deleteExactly(controllerRevisions, action.revision, io, signal));
    default:
      return unreachable(action);
  }
}
