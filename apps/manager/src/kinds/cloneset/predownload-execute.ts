/** What the actions of pulling images ahead do at the API server. @see spec/inplace-update.md 13 */
import { imagePullJobs } from '@kruise/api';
import { isFailure } from '@kruise/kube';
import { controllerRevisions, keyOf } from '@kruise/objects';
import type { ActionOf } from './action.ts';
import type { Io } from './io.ts';

/**
 * A job that exists was made before. One that cannot be made is told in an event and not tried again: the update needs no job, and the node
 * pulls the image when its turn comes.
 */
export async function createImagePullJob({ job }: ActionOf<'CreateImagePullJob'>, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await io.client.create(imagePullJobs, job, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    if (!isFailure(error, 'AlreadyExists')) io.events.failedCreateImagePullJob(error, job.metadata.name, job.spec.image);
    return;
  }
  io.events.createdImagePullJob(job.metadata.name, job.spec.image);
}

export async function labelRevision({ revision, labels }: ActionOf<'LabelRevision'>, io: Io, signal: AbortSignal): Promise<void> {
  const patch = { metadata: { uid: revision.metadata.uid, labels } };
  await io.client.patch(controllerRevisions, keyOf(revision), patch, { type: 'strategic', signal });
}
