/** What each action does at the API server, in which order, and its events. Every action may be repeated. */
import { eventReasons, imageListPullJobs, imagePullJobs, labels, type ImageListPullJob, type ImagePullJob } from '@kruise/api';
import { ApiError, deleteExactly, deleteUnchanged, isFailure, type Client, type EventRecorder } from '@kruise/kube';
import { isControlledBy, keyOf, unreachable, type Stage } from '@kruise/objects';
import { newFailureOf, type PacedResult } from '../../workloads/passes/run-paced.ts';
import { childOf, type Action } from '@kruise/kinds/imagelistpulljob';

export interface Io {
  readonly client: Client;
  readonly recorder: EventRecorder;
  readonly object: ImageListPullJob;
}

type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;

const nameAttempts = 4;

/**
 * @throws a Conflict when the job was made before and its watch event is on its way, or when one of that name is about to go: its end enqueues the
 * list again
 */
async function createJob({ image, job: wanted }: ActionOf<'CreateJob'>, { client, object: list }: Io, signal: AbortSignal): Promise<void> {
  let child = wanted;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.create(imagePullJobs, child, { signal });
      return;
    } catch (error) {
      if (!isFailure(error, 'AlreadyExists') || attempt > nameAttempts) throw error;
      const held: ImagePullJob = await client.get(imagePullJobs, keyOf(child), { signal });
      if (isControlledBy(held, list.metadata.uid) && held.metadata.deletionTimestamp === undefined)
        throw new ApiError(`ImagePullJob ${child.metadata.name} was made meanwhile`, { kind: 'Conflict' });
      child = childOf(list, image, attempt);
    }
  }
}

const only = <K extends Action['kind']>(actions: readonly Action[], kind: K): readonly ActionOf<K>[] =>
  actions.filter((action): action is ActionOf<K> => action.kind === kind);

async function labelHash(hash: string, { client, object }: Io, signal: AbortSignal): Promise<void> {
  const metadata = { uid: object.metadata.uid, labels: { [labels.controllerRevisionHash]: hash } };
  await client.patch(imageListPullJobs, keyOf(object), { metadata }, { type: 'merge', signal });
}

export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  const options = { signal, propagationPolicy: 'Background' } as const;
  switch (action.kind) {
    case 'LabelHash':
      return labelHash(action.hash, io, signal);
    case 'CreateJob':
      return createJob(action, io, signal);
    case 'DeleteJob':
      return deleteExactly(io.client, imagePullJobs, action.job, options);
    case 'DeleteList':
      return deleteUnchanged(io.client, imageListPullJobs, io.object, options);
    default:
      return unreachable(action);
  }
}

/**
 * What a quota refuses for one image it refuses for all; what is refused comes last in the next pass. Nothing else depends on the label of the list, and
 * no deletion on another action.
 */
export const stagesOf = (actions: readonly Action[]): readonly Stage<Action>[] => [
  { name: 'label', actions: only(actions, 'LabelHash'), onFailure: 'Collect' },
  { name: 'create', actions: only(actions, 'CreateJob'), onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreateJob'] },
  { name: 'delete', actions: only(actions, 'DeleteJob'), onFailure: 'Collect' },
  { name: 'end', actions: only(actions, 'DeleteList'), onFailure: 'Stop' },
];

/** The events of a pass; a creation that still waits was announced when it was refused. */
export function announce({ recorder, object, signal }: Io & { readonly signal: AbortSignal }, result: PacedResult<Action>): void {
  const [created, deleted] = [result.stages.get('create'), result.stages.get('delete')];
  if (created !== undefined && created.done > 0)
    recorder.event(object, 'Normal', eventReasons.createdImagePullJobs, `Create ${created.done} ImagePullJob`);
  const error = newFailureOf(result, 'create');
  if (error !== undefined && !signal.aborted)
    recorder.event(object, 'Warning', eventReasons.failedCreate, `an ImagePullJob cannot be created: ${error.message}`);
  if (deleted !== undefined && deleted.done > 0)
    recorder.event(object, 'Normal', eventReasons.deletedImagePullJobs, `Delete ${deleted.done} ImagePullJob`);
}
