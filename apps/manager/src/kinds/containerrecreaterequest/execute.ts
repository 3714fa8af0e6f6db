/**
 * What each action does at the API server. Each may be repeated; each write names the request or the Pod that it was decided on, so that
 * another one of the same name is never changed.
 */
import {
  conditionReasons,
  conditionTypes,
  containerRecreateRequestFinalizer,
  containerRecreateRequests,
  labels,
  preRecreateGraceMessage,
  type ContainerRecreateRequest,
} from '@kruise/api';
import {
  ApiError,
  conflictPresets,
  deleteUnchanged,
  retryOnConflict,
  setFinalizer,
  unlessDeleted,
  type Client,
  type Clock,
} from '@kruise/kube';
import { formatTime, isConditionTrue, keyOf, unreachable, type Pod } from '@kruise/objects';
import { addNotReadyKey, removeNotReadyKey } from '@kruise/pods';
import { changePod } from '../../writes/pod-writes.ts';
import { notReadyKeyOf, type Action } from '@kruise/kinds/containerrecreaterequest';

export interface Io {
  /** Its answers go into the stores at once. */
  readonly client: Client;
  readonly clock: Clock;
}

/** The request no longer exists: another one has its name. */
function replaced({ metadata: { name, uid = '' } }: ContainerRecreateRequest): ApiError {
  const { group, plural } = containerRecreateRequests;
  const details = { name, uid, group, kind: plural };
  return new ApiError('the object was replaced by another of its name', { kind: 'NotFound' }, { reason: 'NotFound', details });
}

/** Reads the request, changes it and writes it; after a conflict, reads it again. Writes nothing if `change` returns nothing. */
function changeRequest(
  request: ContainerRecreateRequest,
  { change, subresource }: { readonly change: (live: ContainerRecreateRequest) => object | undefined; readonly subresource?: string },
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const { clock, client } = io;
  return retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async () => {
    const live = await client.get(containerRecreateRequests, keyOf(request), { signal });
    const { uid, resourceVersion } = live.metadata;
    if (uid !== request.metadata.uid) throw replaced(request);
    const { metadata = {}, ...rest } = (change(live) ?? {}) as { readonly metadata?: object };
    if (Object.keys(metadata).length + Object.keys(rest).length === 0) return;
    const patch = { metadata: { ...metadata, uid, resourceVersion }, ...rest };
    await client.patch(containerRecreateRequests, keyOf(request), patch, {
      type: 'merge',
      signal,
      ...(subresource === undefined ? {} : { subresource }),
    });
  });
}

const changeFinalizer = async (request: ContainerRecreateRequest, present: boolean, { client }: Io, signal: AbortSignal): Promise<void> => {
  const finalizer = containerRecreateRequestFinalizer;
  await setFinalizer(client, containerRecreateRequests, { object: request, finalizer, present }, signal);
};

/** A deleted or replaced Pod needs no change. */
async function changePodStatus(seen: Pod, change: (pod: Pod) => Pod, io: Io, signal: AbortSignal): Promise<void> {
  await unlessDeleted(changePod(seen, change, { ...io, subresource: 'status' }, signal));
}

/** Writes on the version that was read: after another write, the next pass decides again. */
async function complete(request: ContainerRecreateRequest, message: string, { client, clock }: Io, signal: AbortSignal): Promise<void> {
  const { uid, resourceVersion } = request.metadata;
  const status = { phase: 'Completed', completionTime: formatTime(clock.now()), message };
  await client.patch(
    containerRecreateRequests,
    keyOf(request),
    { metadata: { uid, resourceVersion }, status },
    {
      type: 'merge',
      subresource: 'status',
      signal,
    },
  );
}

/** No other client writes the snapshot, so it may be written on a newer version. */
async function recordSnapshot(
  request: ContainerRecreateRequest,
  { snapshot }: Action & { kind: 'RecordSnapshot' },
  { client }: Io,
  signal: AbortSignal,
): Promise<void> {
  const patch = [
    { op: 'test', path: '/metadata/uid', value: request.metadata.uid },
    { op: 'add', path: '/status/containerStatusSnapshot', value: snapshot },
  ];
  await client.patch(containerRecreateRequests, keyOf(request), patch, { type: 'json', subresource: 'status', signal });
}

/** Once: a repetition must not make the grace longer. */
function markHeld(request: ContainerRecreateRequest, io: Io, signal: AbortSignal): Promise<void> {
  const condition = {
    type: conditionTypes.preRecreateGrace,
    status: 'True',
    lastTransitionTime: formatTime(io.clock.now()),
    reason: conditionReasons.preRecreateGrace,
    message: preRecreateGraceMessage,
  };
  const change = ({ status }: ContainerRecreateRequest): object | undefined => {
    const conditions = status?.conditions ?? [];
    if (isConditionTrue(conditions, condition.type) || (status?.completionTime ?? '') !== '') return undefined;
    return { status: { conditions: [...conditions.filter(({ type }) => type !== condition.type), condition] } };
  };
  return changeRequest(request, { change, subresource: 'status' }, io, signal);
}

async function deactivate(request: ContainerRecreateRequest, { client }: Io, signal: AbortSignal): Promise<void> {
  const metadata = { uid: request.metadata.uid, labels: { [labels.recreateActive]: null } };
  await client.patch(containerRecreateRequests, keyOf(request), { metadata }, { type: 'merge', signal });
}

export function execute(action: Action, request: ContainerRecreateRequest, io: Io, signal: AbortSignal): Promise<void> {
  const now = io.clock.now();
  switch (action.kind) {
    case 'Complete':
      return complete(request, action.message, io, signal);
    case 'RecordSnapshot':
      return recordSnapshot(request, action, io, signal);
    case 'AddFinalizer':
      return changeFinalizer(request, true, io, signal);
    case 'HoldPod':
      return changePodStatus(action.pod, (pod) => addNotReadyKey(pod, notReadyKeyOf(request), now), io, signal);
    case 'MarkHeld':
      return markHeld(request, io, signal);
    case 'ReleasePod':
      return changePodStatus(action.pod, (pod) => removeNotReadyKey(pod, notReadyKeyOf(request), now), io, signal);
    case 'RemoveFinalizer':
      return changeFinalizer(request, false, io, signal);
    case 'Deactivate':
      return deactivate(request, io, signal);
    case 'Delete':
      return deleteUnchanged(io.client, containerRecreateRequests, request, { signal });
    default:
      return unreachable(action);
  }
}
