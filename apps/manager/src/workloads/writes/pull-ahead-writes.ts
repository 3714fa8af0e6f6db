/** What the actions of pulling images ahead do at the API server. @see spec/inplace-update.md 13 */
import { imagePullJobs, type ImagePullJob } from '@kruise/api';
import { deleteExactly, isFailure, type Client } from '@kruise/kube';
import { controllerRevisions, keyOf } from '@kruise/objects';
import type { PreDownloadAction } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';

/**
 * Whether images are pulled ahead of updates at all.
 *
 * @param gate that of the kind
 * @see spec/manager.md 5.2
 */
export const pullsImagesAhead = (
  { gates, installed }: Pick<ControllerDependencies, 'gates' | 'installed'>,
  gate: 'PreDownloadImageForInPlaceUpdate' | 'PreDownloadImageForDaemonSetUpdate' = 'PreDownloadImageForInPlaceUpdate',
): boolean => gates[gate] && gates.KruiseDaemon && installed(imagePullJobs.group, imagePullJobs.version, imagePullJobs.kind);

export interface PullAheadWriter {
  readonly client: Client;
  readonly events: {
    createdImagePullJob(job: string, image: string): void;
    failedCreateImagePullJob(error: unknown, job: string): void;
  };
}

/**
 * An existing job was created before. A job that cannot be created is reported in an event and not retried: the update needs no job, and the node
 * pulls the image when its turn comes.
 */
async function createJob(job: ImagePullJob, { client, events }: PullAheadWriter, signal: AbortSignal): Promise<void> {
  try {
    await client.create(imagePullJobs, job, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    if (!isFailure(error, 'AlreadyExists')) events.failedCreateImagePullJob(error, job.metadata.name);
    return;
  }
  events.createdImagePullJob(job.metadata.name, job.spec.image);
}

/** Does one action; throws what the API server refused, but for jobs that cannot be made. */
export async function writePullAhead(action: PreDownloadAction, writer: PullAheadWriter, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreateImagePullJob':
      return createJob(action.job, writer, signal);
    case 'DeleteImagePullJob':
      return deleteExactly(writer.client, imagePullJobs, action.job, { signal });
    case 'LabelRevision': {
      const { revision, labels } = action;
      const patch = { metadata: { uid: revision.metadata.uid, labels } };
      await writer.client.patch(controllerRevisions, keyOf(revision), patch, { type: 'strategic', signal });
    }
  }
}
