/** What each action does at the API server; no policy. */
import { ephemeralJobFinalizer, ephemeralJobs, type EphemeralJob } from '@kruise/api';
import { deleteUnchanged, setFinalizer, unlessDeleted, type Client } from '@kruise/kube';
import { keyOf, pods, unreachable } from '@kruise/objects';
import { type Action, marked } from '@kruise/kinds/ephemeraljob';

export interface Io {
  readonly client: Client;
  readonly object: EphemeralJob;
}

type Injection = Extract<Action, { readonly kind: 'InjectContainers' }>;

/** A Pod that was deleted in the meantime needs none: others take its place. */
async function inject({ pod, containers }: Injection, { client, object: job }: Io, signal: AbortSignal): Promise<void> {
  const { uid } = pod.metadata;
  const spec = { ephemeralContainers: containers.map((container) => marked(container, job)) };
  const patch = { metadata: uid === undefined ? {} : { uid }, spec };
  const options = { type: 'strategic', subresource: 'ephemeralcontainers', signal } as const;
  await unlessDeleted(client.patch(pods, keyOf(pod), patch, options));
}

/** @throws what the API server refused */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'AddFinalizer':
    case 'RemoveFinalizer': {
      const change = { object: io.object, finalizer: ephemeralJobFinalizer, present: action.kind === 'AddFinalizer' };
      return void (await setFinalizer(io.client, ephemeralJobs, change, signal));
    }
    case 'DeleteJob':
      return deleteUnchanged(io.client, ephemeralJobs, io.object, { signal });
    case 'InjectContainers':
      return inject(action, io, signal);
    default:
      return unreachable(action);
  }
}
