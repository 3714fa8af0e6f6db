/**
 * What each action does at the API server: one `case` an action, no policy. Every action may be repeated: a missing object counts as deleted,
 * and after a conflict the object is read again.
 */
import { sidecarSetLabels, sidecarSets } from '@kruise/api';
import { isFailure, unlessDeleted } from '@kruise/kube';
import {
  controllerOf,
  isPodActive,
  keyOf,
  newControllerRef,
  refersToKind,
  unreachable,
  type ControllerRevision,
  type Pod,
} from '@kruise/objects';
import { patchRevision, writeHistory, type HistoryWriter } from '../../workloads/writes/revision-writes.ts';
import { changePod, type PodWriter } from '../../writes/pod-writes.ts';
import {
  type Action,
  type ActionOf,
  canFlip,
  recordsOf,
  flippedPod,
  updatedPod,
  type UpdateContext,
  withUpgradable,
} from '@kruise/kinds/sidecarset';
import type { PodEvents } from './events.ts';

/** What executing needs; one for each pass. */
export interface Io extends PodWriter {
  readonly events: PodEvents;
  readonly update: Omit<UpdateContext, 'now'>;
  /** Raised when a revision's name was taken; goes into the status. */
  onCollisionCount(count: number): void;
}

const context = (io: Io): UpdateContext => ({ ...io.update, now: io.clock.now() });

/**
 * Takes over a revision with the same content that an earlier SidecarSet of the name left, before the garbage collector deletes it.
 *
 * @throws when it belongs to another owner
 */
async function takeOverRevision(holder: ControllerRevision, wanted: ControllerRevision, io: Io, signal: AbortSignal): Promise<void> {
  const controller = controllerOf(holder);
  const own = wanted.metadata.ownerReferences?.[0]?.uid;
  const isLeft = controller === undefined || (refersToKind(controller, sidecarSets) && controller.name === io.update.view.name);
  const isEnding = holder.metadata.deletionTimestamp !== undefined;
  if (!isLeft || isEnding)
    throw new Error(
      `the name ${holder.metadata.name} is taken by a ControllerRevision ${isEnding ? 'that is being deleted' : 'of another owner'}`,
    );
  if (controller?.uid === own && holder.revision >= wanted.revision) return;
  const { labels: wantedLabels, annotations, ownerReferences } = wanted.metadata;
  const metadata = { labels: wantedLabels, annotations, ownerReferences };
  await patchRevision(io.client, holder, { metadata, revision: wanted.revision }, signal);
}

/** On a conflict built from a fresh read: the message is shared by all SidecarSets of the Pod. */
const setUpgradable = (pod: Pod, upgradable: boolean, io: Io, signal: AbortSignal): Promise<Pod> =>
  changePod(
    pod,
    (held) => {
      const conditions = withUpgradable(held, io.update.view.name, upgradable, io.clock.now());
      return conditions === held.status?.conditions ? held : { ...held, status: { ...held.status, conditions } };
    },
    { ...io, subresource: 'status' },
    signal,
  );

/**
 * Pods that are ending keep what they have. What can be said of the Pod is said first: once its image changes the kubelet writes to it as
 * well, and the two would get in each other's way.
 */
const updatePod = async (pod: Pod, io: Io, signal: AbortSignal): Promise<void> => {
  if (!isPodActive(pod)) return;
  const marked = await setUpgradable(pod, true, io, signal);
  await changePod(marked, (held) => (isPodActive(held) ? updatedPod(held, context(io)) : held), io, signal);
};

async function flipPod(pod: Pod, io: Io, signal: AbortSignal): Promise<void> {
  const { view } = io.update;
  let isFlipped = false;
  try {
    await changePod(
      pod,
      (held) => {
        isFlipped = canFlip(held, recordsOf(held), view);
        return isFlipped ? flippedPod(held, context(io)) : held;
      },
      io,
      signal,
    );
  } catch (error) {
    if (!isFailure(error, 'NotFound', 'Conflict')) io.events.failedToEmpty(pod, error);
    throw error;
  }
  if (isFlipped) io.events.emptied(pod);
}

/** Only for a SidecarSet that the API server still has: the garbage collector deletes the revisions of a deleted one. */
async function adoptRevision(revision: ControllerRevision, io: Io, signal: AbortSignal): Promise<void> {
  const { object } = io.update.view;
  const { metadata: held } = await io.client.get(sidecarSets, keyOf(object), { signal });
  if (held.uid !== object.metadata.uid || held.deletionTimestamp !== undefined) return;
  const ownerReferences = [...(revision.metadata.ownerReferences ?? []), newControllerRef(object, sidecarSets)];
  await patchRevision(io.client, revision, { metadata: { ownerReferences } }, signal);
}

const nameRevision = ({ revision, customVersion }: ActionOf<'NameRevision'>, { client }: Io, signal: AbortSignal): Promise<unknown> =>
  patchRevision(client, revision, { metadata: { labels: { [sidecarSetLabels.customVersion]: customVersion } } }, signal);

const historyWriter = (io: Io): HistoryWriter => ({
  client: io.client,
  onCollisionCount: (count) => io.onCollisionCount(count),
  takeOver: (holder, wanted, signal) => takeOverRevision(holder, wanted, io, signal),
});

/** Does one action; throws what the API server refused. */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'NameRevision':
      return void (await nameRevision(action, io, signal));
    case 'SetUpgradable':
      return void (await unlessDeleted(setUpgradable(action.pod, action.upgradable, io, signal)));
    case 'FlipPod':
      return void (await unlessDeleted(flipPod(action.pod, io, signal)));
    case 'UpdatePod':
      return void (await unlessDeleted(updatePod(action.pod, io, signal)));
    case 'AdoptRevision':
      return void (await unlessDeleted(adoptRevision(action.revision, io, signal)));
    case 'CreateRevision':
    case 'BumpRevision':
    case 'DeleteRevision':
      return writeHistory(action, historyWriter(io), signal);
    default:
      return unreachable(action);
  }
}
