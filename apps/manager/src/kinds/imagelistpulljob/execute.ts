/** What each action does at the API server, and in which order. Every one may be repeated. */
import { eventReasons, imageListPullJobs, imagePullJobs, labels, type ImageListPullJob, type ImagePullJob } from '@kruise/api';
import { ApiError, isFailure, slowStart, unlessGone, type Client, type EventRecorder } from '@kruise/kube';
import { isControlledBy, keyOf, type KubeObject, type ResourceType } from '@kruise/objects';
import { childOf, type Action } from './plan.ts';

export interface Io {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly job: ImageListPullJob;
}

type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;

const nameAttempts = 4;

/**
 * @throws a Conflict when the job was made before and its watch event is on its way, or when one of that name is about to go: its end wakes the
 * list again
 */
async function createJob({ image, job: wanted }: ActionOf<'CreateJob'>, { client, job }: Io, signal: AbortSignal): Promise<void> {
  let child = wanted;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.create(imagePullJobs, child, { signal });
      return;
    } catch (error) {
      if (!isFailure(error, 'AlreadyExists') || attempt > nameAttempts) throw error;
      const held: ImagePullJob = await client.get(imagePullJobs, keyOf(child), { signal });
      if (isControlledBy(held, job.metadata.uid) && held.metadata.deletionTimestamp === undefined)
        throw new ApiError(`ImagePullJob ${child.metadata.name} was made meanwhile`, { kind: 'Conflict' });
      child = childOf(job, image, attempt);
    }
  }
}

async function deleteExactly<T extends KubeObject>(type: ResourceType<T>, object: T, client: Client, signal: AbortSignal): Promise<void> {
  const { uid } = object.metadata;
  const preconditions = uid === undefined ? {} : { uid };
  await unlessGone(client.delete(type, keyOf(object), { signal, propagationPolicy: 'Background', preconditions }));
}

const only = <K extends Action['kind']>(actions: readonly Action[], kind: K): readonly ActionOf<K>[] =>
  actions.filter((action): action is ActionOf<K> => action.kind === kind);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** In batches of 1, 2, 4, …: what the webhook refuses for one image it refuses for all. */
async function createAll(creations: readonly ActionOf<'CreateJob'>[], io: Io, signal: AbortSignal): Promise<void> {
  if (creations.length === 0) return;
  const { succeeded, failure } = await slowStart(
    creations.length,
    (index) => createJob(creations[index] as ActionOf<'CreateJob'>, io, signal),
    signal,
  );
  if (succeeded > 0) io.recorder.event(io.job, 'Normal', eventReasons.createdImagePullJobs, `Create ${succeeded} ImagePullJob`);
  if (failure === undefined) return;
  if (!isFailure(failure.error, 'Conflict') && !signal.aborted)
    io.recorder.event(io.job, 'Warning', eventReasons.failedCreate, `an ImagePullJob cannot be created: ${messageOf(failure.error)}`);
  throw failure.error;
}

async function deleteAll(deletions: readonly ActionOf<'DeleteJob'>[], { client, recorder, job }: Io, signal: AbortSignal): Promise<void> {
  if (deletions.length === 0) return;
  for (const deletion of deletions) await deleteExactly(imagePullJobs, deletion.job, client, signal);
  recorder.event(job, 'Normal', eventReasons.deletedImagePullJobs, `Delete ${deletions.length} ImagePullJob`);
}

/** @throws what the server refused; deletions are done also when a creation fails */
export async function executeAll(actions: readonly Action[], io: Io, signal: AbortSignal): Promise<void> {
  const { client, job } = io;
  for (const { hash } of only(actions, 'LabelHash')) {
    const metadata = { uid: job.metadata.uid, labels: { [labels.controllerRevisionHash]: hash } };
    await client.patch(imageListPullJobs, keyOf(job), { metadata }, { type: 'merge', signal });
  }
  const created = await createAll(only(actions, 'CreateJob'), io, signal).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  await deleteAll(only(actions, 'DeleteJob'), io, signal);
  if (only(actions, 'DeleteList').length > 0) await deleteExactly(imageListPullJobs, job, client, signal);
  if (created !== undefined) throw created.error;
}
