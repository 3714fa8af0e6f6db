/**
 * What each action does at the API server: one `case` an action, no policy. Every action may be repeated: a missing object counts as deleted,
 * an existing object of the same owner as created, and after a conflict the object is read again.
 */
import { daemonSets } from '@kruise/api';
import { ApiError, isFailure } from '@kruise/kube';
import { controllerRevisions, pods as podType, type Pod } from '@kruise/objects';
import { daemonSetRevisions } from '@kruise/pods';
import { adopt, ensureOwned } from '../../workloads/ownership.ts';
import { executeShared } from '../../workloads/writes/shared-actions.ts';
import type { Action, ActionOf } from '@kruise/kinds/daemonset';
import type { Io } from './io.ts';
import { deleteSeenPod } from '../../workloads/writes/delete-seen-pod.ts';

/** In a namespace that is being deleted, nothing can be created or needs to be. */
const isNamespaceGoing = (error: unknown): boolean =>
  error instanceof ApiError && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');

/** Only the condition reports a name that is in use, because the next pass may adopt the Pod that has it. */
async function createPod({ pod }: ActionOf<'CreatePod'>, { client, events, object: set }: Io, signal: AbortSignal): Promise<void> {
  try {
    await ensureOwned(client, podType, { object: pod, ownerUid: set.metadata.uid }, signal);
  } catch (error) {
    if (isNamespaceGoing(error)) return;
    if (!isFailure(error, 'AlreadyExists')) events.failedCreate(error);
    throw error;
  }
  events.created(pod.metadata.name);
}

const deletePod = (pod: Pod, { client, events }: Io, signal: AbortSignal): Promise<void> =>
  deleteSeenPod(client, pod, { deleted: () => events.deleted(pod.metadata.name), failed: events.failedDelete }, signal);

async function deleteFailedPod({ pod, node }: ActionOf<'DeleteFailedPod'>, io: Io, signal: AbortSignal): Promise<void> {
  const { metadata, status } = io.object;
  io.events.failedPod(pod, node);
  io.failedPods.note({ uid: metadata.uid ?? '', generation: status?.observedGeneration ?? 0, node }, io.clock.now());
  await deletePod(pod, io, signal);
}

/** Does one action; throws what the API server refused. */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  const workload = { type: daemonSets, object: io.object };
  switch (action.kind) {
    case 'AdoptPod':
      return adopt(io.client, { type: podType, object: action.pod }, workload, signal);
    case 'AdoptRevision':
      return adopt(io.client, { type: controllerRevisions, object: action.revision }, workload, signal);
    case 'CreatePod':
      return createPod(action, io, signal);
    case 'DeletePod':
      return deletePod(action.pod, io, signal);
    case 'DeleteFailedPod':
      return deleteFailedPod(action, io, signal);
    default:
      return executeShared(
        action,
        { ...io, adapter: daemonSetRevisions, resources: io.context.resources, statesOfDeletionOnly: true },
        signal,
      );
  }
}
