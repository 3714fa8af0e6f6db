/** The writes to a job itself: finalizer, status, deletion. */
import { finalizers, imagePullJobs, type ImagePullJob, type ImagePullJobStatus } from '@kruise/api';
import { deleteExactly, type Client } from '@kruise/kube';
import { createMergePatch, deepEqual, keyOf, withFinalizer, withoutFinalizer } from '@kruise/objects';

/** On the version seen, as finalizers of others stand in the same list. @returns the job as it is then */
export function setFinalizer(client: Client, job: ImagePullJob, present: boolean, signal: AbortSignal): Promise<ImagePullJob> {
  const change = present ? withFinalizer : withoutFinalizer;
  const { uid, resourceVersion } = job.metadata;
  const metadata = { uid, resourceVersion, finalizers: change(job.metadata.finalizers, finalizers.deletionProtection) };
  return client.patch(imagePullJobs, keyOf(job), { metadata }, { type: 'merge', signal });
}

/** Nothing is written when nothing differs. @returns the job as it is then */
export async function writeStatus(
  client: Client,
  job: ImagePullJob,
  status: ImagePullJobStatus,
  signal: AbortSignal,
): Promise<ImagePullJob> {
  if (deepEqual(job.status, status)) return job;
  // An empty status member would look like none at all to the merge; the numbers are always there.
  const patch = { metadata: { uid: job.metadata.uid }, status: createMergePatch(job.status ?? {}, status) };
  return client.patch(imagePullJobs, keyOf(job), patch, { type: 'merge', subresource: 'status', signal });
}

export const deleteJob = (client: Client, job: ImagePullJob, signal: AbortSignal): Promise<void> =>
  deleteExactly(client, imagePullJobs, job, { signal, propagationPolicy: 'Background' });
