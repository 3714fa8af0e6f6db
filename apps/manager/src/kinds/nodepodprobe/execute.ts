/** What each action does at the API server. Every one may be repeated. */
import { nodePodProbes, type NodePodProbe } from '@kruise/api';
import { conflictPresets, deleteExactly, isFailure, retryOnConflict, unlessDeleted, type Client, type Clock } from '@kruise/kube';
import { keyOf, pods, unreachable } from '@kruise/objects';
import { withoutEndedPods, type NodePods, planMarksPatch, planResultsPatch, type Action } from '@kruise/kinds/nodepodprobe';

export interface Io {
  readonly client: Client;
  readonly clock: Clock;
  readonly podAt: NodePods['podAt'];
}

async function createList(name: string, { client }: Io, signal: AbortSignal): Promise<void> {
  try {
    await client.create(nodePodProbes, { metadata: { name }, spec: {} }, { signal });
  } catch (error) {
    // Its watch event is about to arrive.
    if (!isFailure(error, 'AlreadyExists')) throw error;
  }
}

async function dropEnded(list: NodePodProbe, { client, clock, podAt }: Io, signal: AbortSignal): Promise<void> {
  await retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (from) => {
    const fresh = from === 'Cache' ? list : await client.get(nodePodProbes, keyOf(list), { signal });
    const held = fresh.spec?.podProbes ?? [];
    const podProbes = withoutEndedPods(held, { node: list.metadata.name, podAt });
    if (podProbes !== held) await client.update(nodePodProbes, { ...fresh, spec: { ...fresh.spec, podProbes } }, { signal });
  });
}

async function writeResults(
  { pod, results }: Extract<Action, { readonly kind: 'WriteResults' }>,
  { client, clock }: Io,
  signal: AbortSignal,
): Promise<void> {
  const writing = retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (from) => {
    const held = from === 'Cache' ? pod : await client.get(pods, keyOf(pod), { signal });
    const patch = held.metadata.uid === pod.metadata.uid ? planResultsPatch(held, results) : undefined;
    if (patch === undefined) return;
    const answer = await client.patch(pods, keyOf(pod), patch, { type: 'strategic', subresource: 'status', signal });
    const rest = planMarksPatch(answer, results);
    if (rest !== undefined) await client.patch(pods, keyOf(pod), rest, { type: 'strategic', signal });
  });
  await unlessDeleted(writing);
}

/** @throws what the API server refused */
export async function execute(action: Action, io: Io, signal: AbortSignal): Promise<void> {
  switch (action.kind) {
    case 'CreateList':
      return createList(action.name, io, signal);
    case 'DeleteList':
      return deleteExactly(io.client, nodePodProbes, action.list, { signal });
    case 'DropEnded':
      return dropEnded(action.list, io, signal);
    case 'WriteResults':
      return writeResults(action, io, signal);
    default:
      return unreachable(action);
  }
}
