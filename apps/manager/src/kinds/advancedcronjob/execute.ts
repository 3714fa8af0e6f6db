/** What each action does at the API server; no policy. Every one may be repeated. */
import type { AdvancedCronJob } from '@kruise/api';
import { deleteExactly, isFailure, type Client } from '@kruise/kube';
import { isOwnedBy, keyOf, unreachable } from '@kruise/objects';
import type { AdvancedCronJobEvents } from './events.ts';
import type { Action } from '@kruise/kinds/advancedcronjob';

export interface Io {
  readonly client: Client;
  readonly job: AdvancedCronJob;
  readonly events: AdvancedCronJobEvents;
}

/** One of its name that is there already is the one for that time, whatever has become of it. */
async function createChild({ type, object }: Action, { client, job, events }: Io, signal: AbortSignal): Promise<void> {
  try {
    await client.create(type, object, { signal });
  } catch (error) {
    const isHeld = isFailure(error, 'AlreadyExists') && isOwnedBy(await client.get(type, keyOf(object), { signal }), job.metadata.uid);
    if (isHeld) return;
    events.failedCreate(error);
    throw error;
  }
  events.created(object.metadata.name);
}

/** @throws what the API server refused */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreateChild':
      return createChild(action, io, signal);
    case 'DeleteChild':
      await deleteExactly(io.client, action.type, action.object, { signal, propagationPolicy: 'Background' });
      return io.events.deleted(action.object.metadata.name);
    default:
      return unreachable(action);
  }
}
