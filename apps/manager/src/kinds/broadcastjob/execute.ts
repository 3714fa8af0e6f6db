/** What each action does at the API server; no policy. Every one may be repeated. */
import { broadcastJobs } from '@kruise/api';
import { deleteUnchanged, isFailure } from '@kruise/kube';
import { pods, unreachable, type Pod } from '@kruise/objects';
import { ensureOwned } from '../../workloads/ownership.ts';
import type { Action } from '@kruise/kinds/broadcastjob';
import type { Io } from './io.ts';
import { deleteSeenPod } from '../../workloads/writes/delete-seen-pod.ts';

async function createPod(pod: Pod, { client, object: job, events }: Io, signal: AbortSignal): Promise<void> {
  try {
    await ensureOwned(client, pods, { object: pod, ownerUid: job.metadata.uid }, signal);
  } catch (error) {
    // A name that another Pod has taken meanwhile is known by the next pass.
    if (!isFailure(error, 'AlreadyExists')) events.failedCreate(error);
    throw error;
  }
  events.created(pod.metadata.name);
}

const deletePod = (pod: Pod, { client, events }: Io, signal: AbortSignal): Promise<void> =>
  deleteSeenPod(client, pod, { deleted: () => events.deleted(pod.metadata.name) }, signal);

/** @throws what the API server refused */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreatePod':
      return createPod(action.pod, io, signal);
    case 'DeletePod':
      return deletePod(action.pod, io, signal);
    case 'DeleteJob':
      return deleteUnchanged(io.client, broadcastJobs, io.object, { signal, propagationPolicy: 'Background' });
    default:
      return unreachable(action);
  }
}
