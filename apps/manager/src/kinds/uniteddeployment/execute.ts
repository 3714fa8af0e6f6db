/**
 * What each action does at the API server: one `case` an action, no policy. Every action may be repeated: a missing object counts as deleted, and
 * an existing child of the same owner as created.
 */
import { unitedDeploymentLabels, unitedDeployments } from '@kruise/api';
import { deleteExactly, isFailure, unlessDeleted } from '@kruise/kube';
import { controllerRevisions, createMergePatch, isControlledBy, isEmptyPatch, keyOf, pods, unreachable } from '@kruise/objects';
import { adopt, ensureOwned, setOwners } from '../../workloads/ownership.ts';
import { writeHistory } from '../../workloads/writes/revision-writes.ts';
import { type Action, type ActionOf, renderChild, UnrenderableChild } from '@kruise/kinds/uniteddeployment';
import type { Io } from './io.ts';
import { deleteSeenPod } from '../../workloads/writes/delete-seen-pod.ts';

/** Runs a write and reports its failure, except a conflict with another client, and a child that cannot be rendered: the pass reports that. */
async function telling(tell: (error: unknown) => void, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isFailure(error, 'Conflict', 'Aborted') && !(error instanceof UnrenderableChild)) tell(error);
    throw error;
  }
}

/**
 * Writes what differs on exactly the version that the difference was computed from: the live one if the store holds only a part of such children. A
 * child that is deleted or being deleted needs no update.
 */
async function updateChild(
  { type: { type, isHeldWhole }, child, wish }: ActionOf<'UpdateChild'>,
  { client }: Io,
  signal: AbortSignal,
): Promise<void> {
  const live = isHeldWhole ? child : await unlessDeleted(client.get(type, keyOf(child), { signal }));
  if (live === undefined || live.metadata.uid !== child.metadata.uid || live.metadata.deletionTimestamp !== undefined) return;
  const change = createMergePatch({ ...live }, { ...renderChild(wish, live) });
  if (isEmptyPatch(change)) return;
  const { uid, resourceVersion } = live.metadata;
  const metadata = { ...(change['metadata'] as object | undefined), uid, resourceVersion };
  await unlessDeleted(client.patch(type, keyOf(live), { ...change, metadata }, { type: 'merge', signal }));
}

async function reservePod({ pod, isReserved }: ActionOf<'ReservePod'>, { client }: Io, signal: AbortSignal): Promise<void> {
  const metadata = { uid: pod.metadata.uid, labels: { [unitedDeploymentLabels.reservedPod]: String(isReserved) } };
  await unlessDeleted(client.patch(pods, keyOf(pod), { metadata }, { type: 'merge', signal }));
}

/** Another controller may have adopted the child since it was read. */
const deleteChild = (
  { type, child }: ActionOf<'DeleteChild' | 'DeleteStray' | 'DeleteDuplicate'>,
  { client, object: united }: Io,
  signal: AbortSignal,
): Promise<void> =>
  isControlledBy(child, united.metadata.uid)
    ? deleteExactly(client, type.type, child, { signal, propagationPolicy: 'Background' })
    : Promise.resolve();

/** Does one action; throws what the API server refused. */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  const { client, object: united, events } = io;
  const owner = { type: unitedDeployments, object: united };
  switch (action.kind) {
    case 'CreateRevision':
    case 'BumpRevision':
      return telling(events.failedRevision, () => writeHistory(action, io, signal));
    case 'DeleteRevision':
      return writeHistory(action, io, signal);
    case 'AdoptRevision':
      return adopt(client, { type: controllerRevisions, object: action.revision }, owner, signal);
    case 'AdoptChild':
      return telling(events.failedFind, () => adopt(client, { type: action.type.type, object: action.child }, owner, signal));
    case 'ReleaseChild': {
      const { child, owners, type } = action;
      return telling(events.failedFind, () => setOwners(client, type.type, { object: child, owners }, signal));
    }
    case 'DeleteDuplicate':
      return telling(
        (error) => events.failedDeleteDuplicate(error, action.child.metadata.name),
        () => deleteChild(action, io, signal),
      );
    case 'CreateChild': {
      const { type, name, wish } = action;
      return telling(
        (error) => events.failedChild(`create ${name}`, error),
        async () => ensureOwned(client, type.type, { object: renderChild(wish, { name }), ownerUid: united.metadata.uid }, signal),
      );
    }
    case 'DeleteChild':
    case 'DeleteStray':
      return telling(
        (error) => events.failedChild(`delete ${action.child.metadata.name}`, error),
        () => deleteChild(action, io, signal),
      );
    case 'UpdateChild':
      return telling(
        (error) => events.failedChild(`update ${action.child.metadata.name}`, error),
        () => updateChild(action, io, signal),
      );
    case 'ReservePod':
      return reservePod(action, io, signal);
    case 'DeleteStuckPod':
      return deleteSeenPod(client, action.pod, {}, signal);
    default:
      return unreachable(action);
  }
}
