/** Action -> API call; no policy. */
import { annotations, containerRecreateRequests, podConditions } from '@kruise/api';
import { isFailure, unlessDeleted, type Client, type Clock } from '@kruise/kube';
import { formatTime, keyOf, pods, unreachable, type ObjectKey, type ObjectMeta, type Pod } from '@kruise/objects';
import type { SidecarEvents } from './events.ts';
import { type Action, newRequest, requestName } from '@kruise/kinds/sidecarterminator';

export interface Io {
  readonly client: Client;
  readonly clock: Pick<Clock, 'now'>;
  readonly events: SidecarEvents;
}

/** Never another Pod of the same name. */
const sameUid = ({ metadata: { uid } }: Pod): Pick<ObjectMeta, 'uid'> => (uid === undefined ? {} : { uid });

/** On exactly the state that was looked at. */
const exactly = (pod: Pod): Pick<ObjectMeta, 'uid' | 'resourceVersion'> => ({
  ...sameUid(pod),
  ...(pod.metadata.resourceVersion === undefined ? {} : { resourceVersion: pod.metadata.resourceVersion }),
});

const requestKey = ({ metadata: { namespace = '', uid = '' } }: Pod): ObjectKey => ({ namespace, name: requestName(uid) });

/** Writes on exactly the version that was read, so that an image that another client changed is not overwritten. */
async function replaceImages(
  action: Extract<Action, { readonly kind: 'ReplaceImages' }>,
  pod: Pod,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const containers = Object.entries(action.images).map(([name, image]) => ({ name, image }));
  await io.client.patch(pods, keyOf(pod), { metadata: exactly(pod), spec: { containers } }, { type: 'strategic', signal });
  io.events.terminating(pod, action.sidecars, 'in-place update');
}

/** The end of its main containers is what was looked at. */
async function markPod(phase: string, pod: Pod, { client, clock }: Io, signal: AbortSignal): Promise<void> {
  const condition = {
    type: podConditions.sidecarTerminated,
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: formatTime(clock.now()),
    message: 'Terminated by Sidecar Terminator',
  };
  const patch = { metadata: exactly(pod), status: { phase, conditions: [condition] } };
  await client.patch(pods, keyOf(pod), patch, { type: 'strategic', subresource: 'status', signal });
}

/** No other client writes this counter. */
async function countRepeat(repeats: number, pod: Pod, { client }: Io, signal: AbortSignal): Promise<void> {
  const metadata = { ...sameUid(pod), annotations: { [annotations.sidecarTerminationRepeats]: String(repeats) } };
  await client.patch(pods, keyOf(pod), { metadata }, { type: 'strategic', signal });
}

async function deleteRequest(uid: string, pod: Pod, { client }: Io, signal: AbortSignal): Promise<void> {
  await unlessDeleted(client.delete(containerRecreateRequests, requestKey(pod), { preconditions: { uid }, signal }));
}

async function createRequest(
  action: Extract<Action, { readonly kind: 'CreateRequest' }>,
  pod: Pod,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  try {
    await io.client.create(containerRecreateRequests, newRequest(pod, action.containers, action.repeats), { signal });
  } catch (error) {
    // Created by an earlier pass, or the previous one is still being deleted: its event enqueues the Pod.
    if (isFailure(error, 'AlreadyExists')) return;
    throw error;
  }
  io.events.terminating(pod, action.containers, 'crr');
}

export async function execute(action: Action, pod: Pod, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'ReplaceImages':
      return replaceImages(action, pod, io, signal);
    case 'MarkPod':
      return markPod(action.phase, pod, io, signal);
    case 'CountRepeat':
      return countRepeat(action.repeats, pod, io, signal);
    case 'DeleteRequest':
      return deleteRequest(action.uid, pod, io, signal);
    case 'CreateRequest':
      return createRequest(action, pod, io, signal);
    default:
      return unreachable(action);
  }
}
