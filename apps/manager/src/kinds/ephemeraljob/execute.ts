/** The writes of a job; no policy. */
import { ephemeralJobs, eventReasons, finalizers, type EphemeralContainer, type EphemeralJob, type EphemeralJobStatus } from '@kruise/api';
import { asError, deleteExactly, isFailure, slowStart, unlessGone, type Client, type EventRecorder } from '@kruise/kube';
import { keyOf, pods, semanticEqual, withFinalizer, withoutFinalizer, type Pod } from '@kruise/objects';
import { marked } from './template.ts';

export interface Io {
  readonly client: Client;
  readonly recorder: EventRecorder;
}

async function writeFinalizers(job: EphemeralJob, list: readonly string[], { client }: Io, signal: AbortSignal): Promise<EphemeralJob> {
  const { resourceVersion } = job.metadata;
  const metadata = { ...(resourceVersion === undefined ? {} : { resourceVersion }), finalizers: list };
  return client.patch(ephemeralJobs, keyOf(job), { metadata }, { type: 'merge', signal });
}

/** @returns the job as it is now */
export const addFinalizer = (job: EphemeralJob, io: Io, signal: AbortSignal): Promise<EphemeralJob> =>
  writeFinalizers(job, withFinalizer(job.metadata.finalizers, finalizers.ephemeralContainersCleanup), io, signal);

export async function letGo(job: EphemeralJob, io: Io, signal: AbortSignal): Promise<void> {
  await writeFinalizers(job, withoutFinalizer(job.metadata.finalizers, finalizers.ephemeralContainersCleanup), io, signal);
}

export const deleteJob = (job: EphemeralJob, { client }: Io, signal: AbortSignal): Promise<void> =>
  deleteExactly(client, ephemeralJobs, job, { signal });

export async function writeStatus(job: EphemeralJob, status: EphemeralJobStatus, { client }: Io, signal: AbortSignal): Promise<void> {
  if (semanticEqual(job.status, status)) return;
  await client.updateStatus(ephemeralJobs, { ...job, status }, { signal });
}

async function injectInto(pod: Pod, containers: readonly EphemeralContainer[], { client }: Io, signal: AbortSignal): Promise<void> {
  const { uid } = pod.metadata;
  const patch = { metadata: uid === undefined ? {} : { uid }, spec: { ephemeralContainers: containers } };
  // Gone meanwhile; others take its place.
  await unlessGone(client.patch(pods, keyOf(pod), patch, { type: 'strategic', subresource: 'ephemeralcontainers', signal }));
}

/**
 * Puts the containers into the Pods, a few at first and more when that works. A Pod that cannot have them holds up no other.
 *
 * @returns the first failure, if any
 */
export async function inject(
  targets: readonly Pod[],
  job: EphemeralJob,
  { containers, io }: { readonly containers: readonly EphemeralContainer[]; readonly io: Io },
  signal: AbortSignal,
): Promise<Error | undefined> {
  const injected = containers.map((container) => marked(container, job));
  let refusal: Error | undefined;
  const { failure } = await slowStart(
    targets.length,
    async (index) => {
      const pod = targets[index];
      if (pod === undefined) return;
      try {
        await injectInto(pod, injected, io, signal);
      } catch (error) {
        if (!isFailure(error, 'Invalid')) throw error;
        refusal ??= asError(error);
      }
    },
    signal,
  );
  const error = failure === undefined ? refusal : asError(failure.error);
  if (error !== undefined && !isFailure(error, 'Conflict')) io.recorder.event(job, 'Warning', eventReasons.createFailed, error.message);
  return error;
}
