/**
 * What each action does at the API server: one `case` an action, no policy. Every action may be repeated: a missing object counts as deleted,
 * an existing object of the same owner as created, and after a conflict the object is read again.
 */
import { cloneSets } from '@kruise/api';
import { ApiError, deleteExactly, isFailure, unlessDeleted } from '@kruise/kube';
import { deepEqual, keyOf, persistentVolumeClaims, pods as podType, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import { claimsMountedBy } from '@kruise/workloads';
import { ensureOwned, setOwners } from '../../workloads/ownership.ts';
import { patchMetadata } from '../../workloads/writes/pod-action-writes.ts';
import { executeShared } from '../../workloads/writes/shared-actions.ts';
import {
  type Action,
  type ActionOf,
  type RecreatePod,
  adapterOf,
  deletionMark,
  instanceIdOf,
  isOf,
  newClaims,
  noDeletionMark,
} from '@kruise/kinds/cloneset';
import type { Io } from './io.ts';
import { deleteSeenPod } from '../../workloads/writes/delete-seen-pod.ts';

/** Claims are those of today, so that an older template may mount one that is no longer made. */
function explainedFor(pod: Pod, error: unknown, { object: { status }, context }: Io): unknown {
  const { currentRevision = '', updateRevision = '' } = status ?? {};
  const isOld = currentRevision !== updateRevision && isOf(context, pod, currentRevision);
  if (!isOld || !isFailure(error, 'Invalid')) return error;
  const why = `Pods of revision ${currentRevision}, which the partition requires, cannot be created with the current claims: ${error.message}`;
  return new ApiError(why, error.failure, { code: 422, reason: error.reason, causes: error.causes });
}

/**
 * Claims that the store shows and the API server no longer has: the answer to their deletion was lost, and the watch is late. A Pod without its claim
 * would never start.
 */
async function lostClaims({ pod, claims }: ActionOf<'CreatePod'>, io: Io, signal: AbortSignal): Promise<readonly PersistentVolumeClaim[]> {
  const made = new Set(claims.map(({ metadata }) => metadata.name));
  const lost: PersistentVolumeClaim[] = [];
  for (const claim of newClaims(io.object, instanceIdOf(pod))) {
    if (made.has(claim.metadata.name)) continue;
    const held = await unlessDeleted(io.client.get(persistentVolumeClaims, keyOf(claim), { signal }));
    if (held === undefined) lost.push(claim);
  }
  return lost;
}

async function createPod(action: ActionOf<'CreatePod'>, io: Io, signal: AbortSignal): Promise<void> {
  const { pod, claims } = action;
  const ownerUid = io.object.metadata.uid;
  for (const claim of [...claims, ...(await lostClaims(action, io, signal))]) {
    try {
      await ensureOwned(io.client, persistentVolumeClaims, { object: claim, ownerUid }, signal);
    } catch (error) {
      io.events.failedCreateClaim(error, claim);
      throw error;
    }
  }
  try {
    await ensureOwned(io.client, podType, { object: pod, ownerUid }, signal);
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

/** The Pod's creation may have succeeded without an answer, or its news may be on the way: it enqueues the CloneSet when it is heard of. */
async function deleteUnusedClaim({ claim, podName }: ActionOf<'DeleteClaim'>, io: Io, signal: AbortSignal): Promise<void> {
  const key = { namespace: claim.metadata.namespace ?? '', name: podName ?? '' };
  const user = podName === undefined ? undefined : await unlessDeleted(io.client.get(podType, key, { signal }));
  if (user !== undefined && claimsMountedBy(user).includes(claim.metadata.name)) return;
  await deleteClaim(claim, 'failedCleanUpClaim', io, signal);
}

async function deletePod({ pod, claims }: ActionOf<'DeletePod'>, io: Io, signal: AbortSignal): Promise<void> {
  const { client, events } = io;
  const { name } = pod.metadata;
  await deleteSeenPod(client, pod, { deleted: () => events.deleted(name), failed: (error) => events.failedDeletePod(error, name) }, signal);
  for (const claim of claims) await deleteClaim(claim, 'failedDeleteClaim', io, signal);
}

async function handOverClaim({ claim, ownerReferences }: ActionOf<'HandOverClaim'>, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await setOwners(io.client, persistentVolumeClaims, { object: claim, owners: ownerReferences }, signal);
  } catch (error) {
    io.events.failedUpdateClaim(error, claim.metadata.name);
    throw error;
  }
}

/** Only as long as the list is the one that was decided on: a user who has changed it since enqueues the next pass, which decides on that. */
async function setPodsToDelete({ listed, names }: ActionOf<'SetPodsToDelete'>, io: Io, signal: AbortSignal): Promise<void> {
  const { metadata, spec } = io.object;
  if (!deepEqual(spec.scaleStrategy?.podsToDelete ?? [], listed)) return;
  const precondition = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
  const podsToDelete = names.length === 0 ? null : names;
  await io.client.patch(
    cloneSets,
    keyOf({ metadata }),
    { metadata: precondition, spec: { scaleStrategy: { podsToDelete } } },
    { type: 'merge', signal },
  );
}

/**
 * A revision that the status names has been there and was deleted, as the garbage collector does before a CloneSet that is deleted in the
 * foreground: whether that is so is asked, as the news of the revision may be quicker than that of the CloneSet.
 */
async function isStillWanted(
  { attempt }: ActionOf<'CreateRevision'>,
  { client, object: cloneSet }: Io,
  signal: AbortSignal,
): Promise<boolean> {
  if (cloneSet.status?.updateRevision !== attempt.revision.metadata.name) return true;
  const held = await unlessDeleted(client.get(cloneSets, keyOf(cloneSet), { signal }));
  return held !== undefined && held.metadata.uid === cloneSet.metadata.uid && held.metadata.deletionTimestamp === undefined;
}

async function recreate({ pod, revision }: RecreatePod, { client, events }: Io, signal: AbortSignal): Promise<void> {
  try {
    await patchMetadata(pod, deletionMark(revision), { client }, signal);
  } catch (error) {
    events.failedMarkForRecreation(error, pod.metadata.name, revision);
    throw error;
  }
  events.markedForRecreation(pod.metadata.name, revision);
}

/** Does one action; throws what the API server refused. */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreatePod':
      return createPod(action, io, signal);
    case 'DeletePod':
      return deletePod(action, io, signal);
    case 'RecreatePod':
      return recreate(action, io, signal);
    case 'UnmarkPod':
      return void (await unlessDeleted(patchMetadata(action.pod, noDeletionMark, io, signal)));
    case 'HandOverClaim':
      return handOverClaim(action, io, signal);
    case 'DeleteClaim':
      return deleteUnusedClaim(action, io, signal);
    case 'SetPodsToDelete':
      return setPodsToDelete(action, io, signal);
    default:
      if (action.kind === 'CreateRevision' && !(await isStillWanted(action, io, signal))) return;
      return executeShared(action, { ...io, adapter: adapterOf(io.context), resources: io.context.resources }, signal);
  }
}
