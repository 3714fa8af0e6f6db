/** What each action does at the API server; a NodeImage that changed meanwhile is decided on anew. */
import { nodeImages, type NodeImage } from '@kruise/api';
import {
  asError,
  conflictPresets,
  inParallel,
  isFailure,
  retryOnConflict,
  unlessGone,
  type Client,
  type Clock,
  type StoreReader,
} from '@kruise/kube';
import { keyOf } from '@kruise/objects';
import { patchNodeImage } from '../../images/patch-node-image.ts';
import type { Action } from './plan.ts';
import { isFull, withoutFormerTasks, withTask, type Order } from './plan-task.ts';
import type { Context } from './snapshot.ts';

export interface Io {
  readonly client: Client;
  readonly clock: Clock;
  readonly nodeImages: Pick<StoreReader<NodeImage>, 'get'>;
  readonly order: Order;
  readonly at: Context;
}

/** Writes under way at a time for one job; the API server's own limits do the rest. */
const parallelWrites = 32;

const changeOf = (kind: Action['kind'], held: NodeImage, { order, at }: Io): NodeImage => {
  if (kind === 'DropFormerTasks') return withoutFormerTasks(held, order);
  return isFull(held, order.terms.task.name) ? held : withTask(held, order, at);
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

/** A write that the server will not take, however often it is tried. */
const isRefusal = (error: unknown): boolean => (['BadRequest', 'Invalid', 'Forbidden'] as const).some((kind) => isFailure(error, kind));

export interface Executed {
  /** The first failure that is no refusal; a conflict only when there is no other. */
  readonly failure: Error | undefined;
  /** What the server did not take, by node. */
  readonly refusals: ReadonlyMap<string, Error>;
}

/** Nodes do not stand in each other's way: all actions are tried. */
export async function executeAll(actions: readonly Action[], io: Io, signal: AbortSignal): Promise<Executed> {
  const failures: Error[] = [];
  const refusals = new Map<string, Error>();
  const note = (error: unknown, { nodeImage }: Action): void => {
    const thrown = asError(error);
    if (isRefusal(error)) refusals.set(nodeImage.metadata.name, thrown);
    else failures.push(thrown);
  };
  await inParallel(actions, parallelWrites, async (action) => {
    if (!signal.aborted) await execute(action, io, signal).catch((error: unknown) => note(error, action));
  });
  return { failure: failures.find((error) => !isFailure(error, 'Conflict')) ?? failures[0], refusals };
}
