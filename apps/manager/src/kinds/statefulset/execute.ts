/**
 * What each action does at the API server: one `case` an action, no policy. Every one may be repeated: what is gone is gone, what exists and
 * is ours is taken as made, and a conflict is answered by reading anew.
 */
import { statefulSetAnnotations, statefulSets } from '@kruise/api';
import { ApiError, deleteExactly, isFailure, unlessGone } from '@kruise/kube';
import {
  controllerRevisions,
  keyOf,
  persistentVolumeClaims,
  pods as podType,
  withOwner,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { statefulSetRevisions } from '@kruise/pods';
import type { HistoryAction, PodAction, PreDownloadAction } from '@kruise/workloads';
import { ensureOwned, setOwners } from '../../workloads/ownership.ts';
import { patchMetadata, writePodAction } from '../../workloads/pod-action-writes.ts';
import { writePullAhead } from '../../workloads/pull-ahead-writes.ts';
import { writeHistory } from '../../workloads/revision-writes.ts';
import type { Action, ActionOf } from './action.ts';
import type { Io } from './io.ts';
import { ownerReferenceTo } from './new-pod.ts';

/** Runs a write and tells of its end. */
async function told<T>(write: () => Promise<T>, on: { readonly done?: () => void; readonly failed: (error: unknown) => void }): Promise<T> {
  try {
    const result = await write();
    on.done?.();
    return result;
  } catch (error) {
    on.failed(error);
    throw error;
  }
}

/** One that exists belongs to the name, whoever made it: a set that is made anew finds the claims of its former Pods. */
async function createClaims(
  pod: Pod,
  claims: readonly PersistentVolumeClaim[],
  { client, events }: Io,
  signal: AbortSignal,
): Promise<void> {
  for (const claim of claims) {
    const { name } = claim.metadata;
    const create = async (): Promise<void> => {
      try {
        await client.create(persistentVolumeClaims, claim, { signal });
        events.createdClaim(name, pod.metadata.name);
      } catch (error) {
        if (!isFailure(error, 'AlreadyExists')) throw error;
      }
    };
    await told(create, { failed: (error) => events.failedCreateClaim(error, name, pod.metadata.name) });
  }
}

/** A name that is taken is told in the condition alone: it may be the next pass that adopts its holder. */
async function createPod({ pod, claims }: ActionOf<'CreatePod'>, io: Io, signal: AbortSignal): Promise<void> {
  const { client, events, set } = io;
  const { name } = pod.metadata;
  await createClaims(pod, claims, io, signal);
  await told(() => ensureOwned(client, podType, { object: pod, ownerUid: set.metadata.uid }, signal), {
    done: () => events.createdPod(name),
    failed: (error) => {
      if (!isFailure(error, 'AlreadyExists')) events.failedCreatePod(error, name);
    },
  });
}

/** @throws Error unless the StatefulSet is the one that the plan was made for, and stays */
async function assertStays({ client, set }: Io, signal: AbortSignal): Promise<void> {
  const held = await unlessGone(client.get(statefulSets, keyOf(set), { signal }));
  const { name, uid } = set.metadata;
  if (held === undefined || held.metadata.uid !== uid || held.metadata.deletionTimestamp !== undefined)
    throw new ApiError(`StatefulSet ${name} is gone or being deleted: nothing is adopted for it`, { kind: 'Conflict' });
}

async function adopt<T extends KubeObject>(type: ResourceType<T>, object: T, io: Io, signal: AbortSignal): Promise<void> {
  await assertStays(io, signal);
  const owners = withOwner(object.metadata.ownerReferences, ownerReferenceTo(io.set));
  await setOwners(io.client, type, { object, owners }, signal);
}

async function resizeClaim({ claim, resources }: ActionOf<'ResizeClaim'>, { client, events, set }: Io, signal: AbortSignal): Promise<void> {
  const { uid, name } = claim.metadata;
  const metadata = { uid, annotations: { [statefulSetAnnotations.ownedBy]: set.metadata.name } };
  await told(() => client.patch(persistentVolumeClaims, keyOf(claim), { metadata, spec: { resources } }, { type: 'merge', signal }), {
    done: () => events.resizedClaim(name),
    failed: (error) => events.failedResizeClaim(error, name),
  });
}

async function deletePod({ pod }: ActionOf<'DeletePod'>, { client, events }: Io, signal: AbortSignal): Promise<void> {
  const { name } = pod.metadata;
  await told(() => deleteExactly(client, podType, pod, { signal }), {
    done: () => events.deletedPod(name),
    failed: (error) => events.failedDeletePod(error, name),
  });
}

async function repairPod({ pod, labels }: ActionOf<'RepairPod'>, io: Io, signal: AbortSignal): Promise<void> {
  const { name } = pod.metadata;
  await told(() => unlessGone(patchMetadata(pod, { labels }, io, signal)), {
    done: () => io.events.updatedPod(name),
    failed: (error) => io.events.failedUpdatePod(error, name),
  });
}

const setClaimOwners = ({ claim, ownerReferences, pod }: ActionOf<'SetClaimOwners'>, io: Io, signal: AbortSignal): Promise<void> =>
  told(() => setOwners(io.client, persistentVolumeClaims, { object: claim, owners: ownerReferences }, signal), {
    failed: (error) => io.events.failedUpdatePod(error, pod.metadata.name),
  });

/** What all workloads do. */
function executeShared(action: HistoryAction | PreDownloadAction | PodAction, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreateRevision':
    case 'BumpRevision':
    case 'DeleteRevision':
      return writeHistory(action, io, signal);
    case 'CreateImagePullJob':
    case 'DeleteImagePullJob':
    case 'LabelRevision':
      return writePullAhead(action, io, signal);
    default:
      return writePodAction(action, { ...io, adapter: statefulSetRevisions, resources: io.context.resources }, signal);
  }
}

/** Does one action; throws what the API server refused. */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'AdoptPod':
      return adopt(podType, action.pod, io, signal);
    case 'AdoptRevision':
      return adopt(controllerRevisions, action.revision, io, signal);
    case 'CreatePod':
      return createPod(action, io, signal);
    case 'CreateClaims':
      return createClaims(action.pod, action.claims, io, signal);
    case 'SetClaimOwners':
      return setClaimOwners(action, io, signal);
    case 'RepairPod':
      return repairPod(action, io, signal);
    case 'DeletePod':
      return deletePod(action, io, signal);
    case 'ResizeClaim':
      return resizeClaim(action, io, signal);
    default:
      return executeShared(action, io, signal);
  }
}
