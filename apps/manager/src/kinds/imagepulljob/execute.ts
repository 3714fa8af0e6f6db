/** What each action does at the API server; a NodeImage that changed meanwhile is decided on anew. */
import { nodeImages, type NodeImage } from '@kruise/api';
import {
  conflictPresets,
  isFailure,
  isRefusal,
  mostTelling,
  retryOnConflict,
  unlessGone,
  type Client,
  type Clock,
  type Failed,
  type StoreReader,
} from '@kruise/kube';
import { keyOf } from '@kruise/objects';
import { patchNodeImage } from '../../images/patch-node-image.ts';
import type { Action } from './plan.ts';
import { fits, withoutFormerTasks, withTask, type Order } from './plan-task.ts';
import type { Context, Snapshot } from './snapshot.ts';

export interface Io {
  readonly client: Client;
  readonly clock: Clock;
  readonly nodeImages: Pick<StoreReader<NodeImage>, 'get'>;
  readonly order: Order & Pick<Snapshot, 'sourceOf'>;
  readonly context: Context;
}

const changeOf = (kind: Action['kind'], held: NodeImage, { order, context }: Io): NodeImage => {
  if (kind === 'DropFormerTasks') return withoutFormerTasks(held, order);
  return fits(held, order) ? withTask(held, order, context) : held;
};

/** @throws what the server refused; a NodeImage that is gone needs nothing */
export async function execute({ kind, nodeImage }: Action, io: Io, signal: AbortSignal): Promise<void> {
  const key = keyOf(nodeImage);
  const { client, clock } = io;
  const writing = retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (readFrom) => {
    const before = readFrom === 'Cache' ? (io.nodeImages.get(key) ?? nodeImage) : await client.get(nodeImages, key, { signal });
    const after = changeOf(kind, before, io);
    if (after !== before) await patchNodeImage(client, { before, after, part: 'spec' }, signal);
  });
  await unlessGone(writing);
}

export interface Sorted {
  /** The first failure that is no refusal; a conflict only when there is no other. */
  readonly failure: Error | undefined;
  /** What the server did not take, by node: refusals, and answers such as 429, 500 and 413, which may concern this one object alone. */
  readonly refusals: ReadonlyMap<string, Error>;
}

const concernsNode = (error: Error): boolean => isRefusal(error) || isFailure(error, 'TooManyRequests', 'ServerError');

export function sortFailures(failures: readonly Failed<Action>[]): Sorted {
  const others = failures.map(({ error }) => error).filter((error) => !isRefusal(error));
  return {
    failure: mostTelling(others),
    refusals: new Map(failures.flatMap(({ action, error }) => (concernsNode(error) ? [[action.nodeImage.metadata.name, error]] : []))),
  };
}
