/** What each action does at the API server. Every one may be repeated. */
import { persistentPodStates } from '@kruise/api';
import { deleteUnchanged, isFailure, type Client } from '@kruise/kube';
import { createMergePatch, keyOf, unreachable } from '@kruise/objects';
import type { GenerateAction } from '@kruise/kinds/persistentpodstate';

export async function execute(action: GenerateAction, client: Client, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'Create':
      try {
        await client.create(persistentPodStates, action.state, { signal });
      } catch (error) {
        // Its event, or the end of one that is in the way, enqueues the workload again.
        if (!isFailure(error, 'AlreadyExists')) throw error;
      }
      return;
    case 'ChangeSpec': {
      const { uid, resourceVersion } = action.state.metadata;
      const patch = { metadata: { uid, resourceVersion }, spec: createMergePatch({ ...action.state.spec }, { ...action.spec }) };
      await client.patch(persistentPodStates, keyOf(action.state), patch, { type: 'merge', signal });
      return;
    }
    case 'Delete':
      return deleteUnchanged(client, persistentPodStates, action.state, { signal });
    default:
      return unreachable(action);
  }
}
