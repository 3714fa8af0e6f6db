/** Whether a node has a work list, and which Pods may be on it. Pure. @see spec/podprobemarker.md 5.2 */
import type { NodePodProbe, PodProbe } from '@kruise/api';
import { isPodActive, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import { isVirtual } from '../podprobemarker/plan-targets.ts';
import { isNodeReady } from '../slim-node.ts';

export type ListPlan = 'Create' | 'Delete' | 'Keep';

/** @param node undefined when there is none */
export function planList(list: NodePodProbe | undefined, node: Node | undefined): ListPlan {
  const exists = node !== undefined && node.metadata.deletionTimestamp === undefined;
  if (list === undefined) return exists && isNodeReady(node) && !isVirtual(node) ? 'Create' : 'Keep';
  return exists ? 'Keep' : 'Delete';
}

/** The Pod of an entry, when it is still that one and still runs. */
export function podOf(entry: Pick<PodProbe, 'namespace' | 'name' | 'uid'>, podAt: (key: ObjectKey) => Pod | undefined): Pod | undefined {
  const pod = podAt({ namespace: entry.namespace, name: entry.name });
  return pod !== undefined && pod.metadata.uid === entry.uid && isPodActive(pod) ? pod : undefined;
}

/** @returns the very list that was given when every Pod on it runs */
export function withoutEndedPods(held: readonly PodProbe[], podAt: (key: ObjectKey) => Pod | undefined): readonly PodProbe[] {
  const left = held.filter((entry) => podOf(entry, podAt) !== undefined);
  return left.length === held.length ? held : left;
}
