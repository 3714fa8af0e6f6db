/** Whether a node has a work list, and which Pods may be on it. Pure. @see spec/podprobemarker.md 5.2 */
import type { NodePodProbe, PodProbe, PodProbeStatus } from '@kruise/api';
import { isNodeReady, isPodActive, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import { isVirtual } from '../probes/plan-targets.ts';

export type ListPlan = 'Create' | 'Delete' | 'Keep';

/** @param node undefined when there is none */
export function planList(list: NodePodProbe | undefined, node: Node | undefined): ListPlan {
  const exists = node !== undefined && node.metadata.deletionTimestamp === undefined;
  if (list === undefined) return exists && isNodeReady(node) && !isVirtual(node) ? 'Create' : 'Keep';
  return exists ? 'Keep' : 'Delete';
}

/** The Pods of one node. */
export interface NodePods {
  readonly node: string;
  readonly podAt: (key: ObjectKey) => Pod | undefined;
}

/** The Pod of an entry, when it is still that one, still runs, and is on the node: a node has no say about Pods of others. */
export function podOf(entry: Pick<PodProbe, 'namespace' | 'name' | 'uid'>, { node, podAt }: NodePods): Pod | undefined {
  const pod = podAt({ namespace: entry.namespace, name: entry.name });
  const isIt = pod !== undefined && pod.metadata.uid === entry.uid && pod.spec.nodeName === node;
  return isIt && isPodActive(pod) ? pod : undefined;
}

/** @returns the very list that was given when every Pod on it runs */
export function withoutEndedPods(held: readonly PodProbe[], pods: NodePods): readonly PodProbe[] {
  const left = held.filter((entry) => podOf(entry, pods) !== undefined);
  return left.length === held.length ? held : left;
}

/** The results of probes in the list; drops results that were not requested from the node. */
export function askedResults({ spec, status }: NodePodProbe): readonly PodProbeStatus[] {
  const asked = new Set((spec?.podProbes ?? []).flatMap(({ uid, probes = [] }) => probes.map(({ name }) => `${uid}/${name}`)));
  return (status?.podProbeStatuses ?? []).map((entry) => ({
    ...entry,
    probeStates: (entry.probeStates ?? []).filter(({ name }) => asked.has(`${entry.uid}/${name}`)),
  }));
}
