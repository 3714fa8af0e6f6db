/** The DaemonSets that a change of other objects enqueues. @see spec/daemonset.md 5.1 */
import { daemonSets, type DaemonSet } from '@kruise/api';
import { distinctKeys, enqueueOwner, gatheringOf, type Request, type StoreEvent, type StoreReader } from '@kruise/kube';
import { controllerOf, deepEqual, isNodeLost, keyOf, labelMatcherOrNothing, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import { fitOf, updatedNodesOf, examine } from '@kruise/kinds/daemonset';

type Sets = StoreReader<DaemonSet>;

/** Old and new owner, so that a DaemonSet hears of what it lost. */
const ownersOf = enqueueOwner(daemonSets);

/** An orphan enqueues every DaemonSet that selects it, when it appears and when labels or owner change. */
function setsThatSelect(event: StoreEvent<Pod>, sets: Sets): readonly ObjectKey[] {
  const { object } = event;
  if (event.kind === 'Deleted' || controllerOf(object) !== undefined || object.metadata.deletionTimestamp !== undefined) return [];
  const { labels, namespace = '', ownerReferences } = object.metadata;
  if (event.kind === 'Updated') {
    const { metadata } = event.previous;
    if (deepEqual(metadata.labels, labels) && deepEqual(metadata.ownerReferences, ownerReferences)) return [];
  }
  const selects = ({ spec }: DaemonSet): boolean => labelMatcherOrNothing(spec.selector).matches(labels);
  return sets
    .list({ namespace })
    .filter((set) => examine(set).kind === 'WellFormed' && selects(set))
    .map(keyOf);
}

export const setsOfPod = (event: StoreEvent<Pod>, sets: Sets): readonly ObjectKey[] =>
  distinctKeys([...ownersOf(event), ...setsThatSelect(event, sets)]);

/** What a node is for a DaemonSet, in one text; a node that is not there is nothing. */
function roleOf(set: DaemonSet, node: Node | undefined): string {
  if (node === undefined) return '';
  const { shouldRun, shouldContinueRunning } = fitOf(set.spec.template.spec ?? { containers: [] })(node);
  const isUpdated = updatedNodesOf(set)?.matches(node.metadata.labels) ?? true;
  return shouldContinueRunning ? `${shouldRun ? 'runs' : 'stays'}${isUpdated ? ', updated' : ''}` : '';
}

/**
 * DaemonSets for which a node was added, was deleted, or changed in a field that they read. The deletion of a node also enqueues those with Pods on it.
 *
 * @param ownersOnNode DaemonSets with Pods on the node
 */
export function setsOfNode(
  event: StoreEvent<Node>,
  sets: Sets,
  ownersOnNode: (node: string) => readonly ObjectKey[],
): readonly ObjectKey[] {
  const before = event.kind === 'Updated' ? event.previous : event.kind === 'Deleted' ? event.object : undefined;
  const after = event.kind === 'Deleted' ? undefined : event.object;
  const concerned = sets
    .list({})
    .filter((set) => examine(set).kind === 'WellFormed' && roleOf(set, before) !== roleOf(set, after))
    .map(keyOf);
  const isNews = before === undefined || after === undefined || isNodeLost(before) !== isNodeLost(after);
  return isNews ? distinctKeys([...concerned, ...ownersOnNode(event.object.metadata.name)]) : concerned;
}

/** Changes come in swarms: one pass answers those of a while. */
export const gathered = (keys: readonly ObjectKey[], sets: Sets): readonly Request[] =>
  keys.map((key) => ({ key, after: gatheringOf(sets.get(key)?.status?.desiredNumberScheduled ?? 1) }));
