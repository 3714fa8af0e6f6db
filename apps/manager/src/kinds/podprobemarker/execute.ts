/** What each action does at the API server; no policy. Every one may be repeated. */
import { nodePodProbes, podProbeMarkerFinalizer, podProbeMarkers, type NodePodProbe, type PodProbeMarker } from '@kruise/api';
import { conflictPresets, retryOnConflict, setFinalizer, unlessDeleted, type Client, type Clock } from '@kruise/kube';
import { keyOf, pods, unreachable, type Pod } from '@kruise/objects';
import { type Action, planNodeProbes } from '@kruise/kinds/podprobemarker';

export interface Io {
  readonly client: Client;
  readonly clock: Clock;
  readonly marker: PodProbeMarker;
  /** Called for a node whose list has no room for probes of the marker. */
  readonly noteFull: (node: string) => void;
}

/** Many markers share one list: a conflict is tried again on a fresh one. A node without a list gets its share when the list is made. */
async function updateList(list: NodePodProbe, here: readonly Pod[], io: Io, signal: AbortSignal): Promise<void> {
  const { client, clock, marker, noteFull } = io;
  const writing = retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (from) => {
    const held = from === 'Cache' ? list : await client.get(nodePodProbes, keyOf(list), { signal });
    const before = held.spec?.podProbes ?? [];
    const { podProbes, refused } = planNodeProbes(before, marker, here);
    if (refused.length > 0) noteFull(list.metadata.name);
    if (podProbes !== before) await client.update(nodePodProbes, { ...held, spec: { ...held.spec, podProbes } }, { signal });
  });
  await unlessDeleted(writing);
}

/** @throws what the API server refused */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'AddFinalizer':
    case 'RemoveFinalizer': {
      const change = { object: io.marker, finalizer: podProbeMarkerFinalizer, present: action.kind === 'AddFinalizer' };
      return void (await setFinalizer(io.client, podProbeMarkers, change, signal));
    }
    case 'UpdateList':
      return updateList(action.list, action.pods, io, signal);
    case 'MarkServerlessPod':
      return void (await unlessDeleted(io.client.patch(pods, keyOf(action.pod), action.patch, { type: 'strategic', signal })));
    default:
      return unreachable(action);
  }
}
