/**
 * What each action does at the API server: one `case` an action, no policy. Every action may be repeated: a missing object counts as deleted,
 * an existing object of the same owner as created, and after a conflict the object is read again.
 */
import { statefulSetAnnotations, statefulSets } from '@kruise/api';
import { isFailure, unlessDeleted } from '@kruise/kube';
import { controllerRevisions, keyOf, persistentVolumeClaims, pods as podType, type PersistentVolumeClaim, type Pod } from '@kruise/objects';
import { statefulSetRevisions } from '@kruise/pods';
import { adopt, ensureOwned, setOwners } from '../../workloads/ownership.ts';
import { patchMetadata } from '../../workloads/writes/pod-action-writes.ts';
import { executeShared } from '../../workloads/writes/shared-actions.ts';
import type { Action, ActionOf } from '@kruise/kinds/statefulset';
import type { Io } from './io.ts';
import { deleteSeenPod } from '../../workloads/writes/delete-seen-pod.ts';

/** Runs a write and reports its result. */
async function reporting<T>(
  write: () => Promise<T>,
  on: { readonly done?: (result: T) => void; readonly failed: (error: unknown) => void },
): Promise<T> {
  try {
    const result = await write();
    on.done?.(result);
    return result;
  } catch (error) {
    on.failed(error);
    throw error;
  }
}

/** An existing claim belongs to the name, whichever client created it: a recreated set finds the claims of its former Pods. */
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
    await reporting(create, { failed: (error) => events.failedCreateClaim(error, name, pod.metadata.name) });
  }
}

/**
 * Only the condition reports a name that is in use, because the next pass may adopt the Pod that has it. No event reports a Pod of the set that existed
 * already.
 */
async function createPod({ pod, claims }: ActionOf<'CreatePod'>, io: Io, signal: AbortSignal): Promise<void> {
  const { client, events, object: set } = io;
  const { name } = pod.metadata;
  await createClaims(pod, claims, io, signal);
  await reporting(() => ensureOwned(client, podType, { object: pod, ownerUid: set.metadata.uid }, signal), {
    done: (isNew) => {
      if (isNew) events.createdPod(name);
    },
    failed: (error) => {
      if (!isFailure(error, 'AlreadyExists')) events.failedCreatePod(error, name);
    },
  });
}

/** Exactly the claim that was looked at: one that its user has enlarged since keeps that size. */
async function resizeClaim(
  { claim, resources }: ActionOf<'ResizeClaim'>,
  { client, events, object: set }: Io,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion, name } = claim.metadata;
  const metadata = { uid, resourceVersion, annotations: { [statefulSetAnnotations.ownedBy]: set.metadata.name } };
  await reporting(() => client.patch(persistentVolumeClaims, keyOf(claim), { metadata, spec: { resources } }, { type: 'merge', signal }), {
    done: () => events.resizedClaim(name),
    failed: (error) => events.failedResizeClaim(error, name),
  });
}

async function deletePod({ pod }: ActionOf<'DeletePod'>, { client, events }: Io, signal: AbortSignal): Promise<void> {
  const { name } = pod.metadata;
  await deleteSeenPod(
    client,
    pod,
    { deleted: () => events.deletedPod(name), failed: (error) => events.failedDeletePod(error, name) },
    signal,
  );
}

async function repairPod({ pod, labels }: ActionOf<'RepairPod'>, io: Io, signal: AbortSignal): Promise<void> {
  const { name } = pod.metadata;
  await reporting(() => unlessDeleted(patchMetadata(pod, { labels }, io, signal)), {
    done: () => io.events.updatedPod(name),
    failed: (error) => io.events.failedUpdatePod(error, name),
  });
}

const setClaimOwners = ({ claim, ownerReferences, pod }: ActionOf<'SetClaimOwners'>, io: Io, signal: AbortSignal): Promise<void> =>
  reporting(() => setOwners(io.client, persistentVolumeClaims, { object: claim, owners: ownerReferences }, signal), {
    failed: (error) => io.events.failedUpdatePod(error, pod.metadata.name),
  });

/** Does one action; throws what the API server refused. */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'AdoptPod':
      return adopt(io.client, { type: podType, object: action.pod }, { type: statefulSets, object: io.object }, signal);
    case 'AdoptRevision':
      return adopt(io.client, { type: controllerRevisions, object: action.revision }, { type: statefulSets, object: io.object }, signal);
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
      return executeShared(action, { ...io, adapter: statefulSetRevisions, resources: io.context.resources }, signal);
  }
}
