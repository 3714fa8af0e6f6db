/** What each action does at the API server; if a NodeImage has changed in the meantime, the pass decides again. */
import { imagePullJobFinalizer, imagePullJobs, nodeImages, type ImagePullJob, type NodeImage } from '@kruise/api';
import {
  conflictPresets,
  deleteUnchanged,
  isFailure,
  isRefusal,
  mostSpecificError,
  retryOnConflict,
  setFinalizer,
  unlessDeleted,
  type Client,
  type Clock,
  type StoreReader,
} from '@kruise/kube';
import { formatKey, keyOf, unreachable, type Failed } from '@kruise/objects';
import { patchNodeImage } from '../../images/patch-node-image.ts';
import {
  type Action,
  type TaskResults,
  fits,
  withoutFormerTasks,
  withTask,
  type Order,
  type TaskAction,
  type Context,
  type Snapshot,
} from '@kruise/kinds/imagepulljob';
import { releaseSecrets, type SecretIo } from './sync-secrets.ts';

export interface Io {
  readonly client: Client;
  readonly clock: Clock;
  readonly object: ImagePullJob;
  readonly secrets: SecretIo;
  readonly nodeImages: Pick<StoreReader<NodeImage>, 'get'>;
  /** For tasks. */
  readonly order: (Order & Pick<Snapshot, 'shares'>) | undefined;
  readonly context: Context;
}

function changed(kind: TaskAction['kind'], held: NodeImage, { order, context }: Io): NodeImage {
  if (order === undefined) return held;
  const kept = withoutFormerTasks(held, order);
  return kind === 'GiveTask' && fits(kept, order) ? withTask(kept, order, context) : kept;
}

/** A NodeImage that no longer exists needs nothing. */
async function changeTasks({ kind, nodeImage }: TaskAction, io: Io, signal: AbortSignal): Promise<void> {
  const key = keyOf(nodeImage);
  const { client, clock } = io;
  const writing = retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (readFrom) => {
    const before = readFrom === 'Cache' ? (io.nodeImages.get(key) ?? nodeImage) : await client.get(nodeImages, key, { signal });
    const after = changed(kind, before, io);
    if (after !== before) await patchNodeImage(client, { before, after, part: 'spec' }, signal);
  });
  await unlessDeleted(writing);
}

const changeFinalizer = ({ client, object }: Io, present: boolean, signal: AbortSignal): Promise<unknown> =>
  setFinalizer(client, imagePullJobs, { object, finalizer: imagePullJobFinalizer, present }, signal);

/** @throws what the API server refused */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'GiveTask':
    case 'DropFormerTasks':
      return changeTasks(action, io, signal);
    case 'AddFinalizer':
      return void (await changeFinalizer(io, true, signal));
    case 'ReleaseSecrets':
      return releaseSecrets(formatKey(keyOf(io.object)), io.secrets, action.because, signal);
    case 'RemoveFinalizer':
      return void (await changeFinalizer(io, false, signal));
    case 'DeleteJob':
      return deleteUnchanged(io.client, imagePullJobs, io.object, { signal, propagationPolicy: 'Background' });
    default:
      return unreachable(action);
  }
}

const concernsNode = (error: Error): boolean => isRefusal(error) || isFailure(error, 'TooManyRequests', 'ServerError');

/** Answers such as 429, 500 and 413 may concern one NodeImage alone: they are a failure of the pass, and a refusal by the node. */
export function sortFailures(failures: readonly Failed<Action>[]): TaskResults {
  const others = failures.map(({ error }) => error).filter((error) => !isRefusal(error));
  const refusals = failures.flatMap(({ action, error }) =>
    'nodeImage' in action && concernsNode(error) ? [[action.nodeImage.metadata.name, error] as const] : [],
  );
  return { failure: mostSpecificError(others), refusals: new Map(refusals) };
}
