/** What each action does at the API server. Every one may be repeated. */
import { deleteExactly, unlessGone, type Client } from '@kruise/kube';
import { keyOf, pods, unreachable } from '@kruise/objects';
import type { WorkloadSpreadEvents } from './events.ts';
import type { Action } from '@kruise/kinds/workloadspread';

export interface Io {
  readonly client: Client;
  readonly events: WorkloadSpreadEvents;
}

export async function execute(action: Action, { client, events }: Io, signal: AbortSignal): Promise<void> {
  const { kind, pod } = action;
  switch (kind) {
    case 'MarkPod':
      try {
        await unlessGone(client.patch(pods, keyOf(pod), action.patch, { type: 'strategic', signal }));
      } catch (error) {
        if (!signal.aborted) events.failedMark(error, pod.metadata.name);
        throw error;
      }
      return;
    case 'ReschedulePod':
      try {
        await deleteExactly(client, pods, pod, { signal });
      } catch (error) {
        if (!signal.aborted) events.failedReschedule(error, pod.metadata.name);
        throw error;
      }
      return;
    default:
      return unreachable(kind);
  }
}
