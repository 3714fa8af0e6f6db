/** What each action does at the API server. Every one may be repeated. */
import { unlessDeleted, type Client } from '@kruise/kube';
import { keyOf, pods, unreachable } from '@kruise/objects';
import type { WorkloadSpreadEvents } from './events.ts';
import type { Action } from '@kruise/kinds/workloadspread';
import { deleteSeenPod } from '../../workloads/writes/delete-seen-pod.ts';

export interface Io {
  readonly client: Client;
  readonly events: WorkloadSpreadEvents;
}

export async function execute(action: Action, { client, events }: Io, signal: AbortSignal): Promise<void> {
  const { kind, pod } = action;
  switch (kind) {
    case 'MarkPod':
      try {
        await unlessDeleted(client.patch(pods, keyOf(pod), action.patch, { type: 'strategic', signal }));
      } catch (error) {
        if (!signal.aborted) events.failedMark(error, pod.metadata.name);
        throw error;
      }
      return;
    case 'ReschedulePod':
      return deleteSeenPod(
        client,
        pod,
        { failed: (error) => (signal.aborted ? undefined : events.failedReschedule(error, pod.metadata.name)) },
        signal,
      );
    default:
      return unreachable(kind);
  }
}
