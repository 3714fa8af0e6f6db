/** Which work lists an event concerns. @see spec/podprobemarker.md 5.2 */
import type { NodePodProbe, PodProbeMarker } from '@kruise/api';
import type { StoreEvent, StoreReader } from '@kruise/kube';
import { isNodeReady, isPodActive, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import { podsByNode } from '@kruise/workloads';
import { isVirtual, matcherOf } from '@kruise/kinds/probes';

export interface Stores {
  readonly lists: StoreReader<NodePodProbe>;
  readonly nodes: StoreReader<Node>;
  readonly pods: StoreReader<Pod>;
  readonly markers: StoreReader<PodProbeMarker>;
}

const listKey = (node: string): ObjectKey => ({ namespace: '', name: node });

/** Heartbeats change nothing here. */
export function requestsOfNode({ object: node }: StoreEvent<Node>, { lists, nodes }: Stores): readonly ObjectKey[] {
  const key = listKey(node.metadata.name);
  const exists = nodes.get(key) !== undefined && node.metadata.deletionTimestamp === undefined;
  const concerns = lists.get(key) !== undefined ? !exists : exists && isNodeReady(node) && !isVirtual(node);
  return concerns ? [key] : [];
}

/** The list that names a Pod which has ended. */
export function requestsOfPod(event: StoreEvent<Pod>, { lists }: Stores): readonly ObjectKey[] {
  if (event.kind === 'Added' || (event.kind === 'Updated' && isPodActive(event.object))) return [];
  const { uid } = event.object.metadata;
  return podsByNode
    .valuesOf(event.object)
    .map(listKey)
    .filter((key) => lists.get(key)?.spec?.podProbes?.some((entry) => entry.uid === uid) === true);
}

/** A policy that changed takes effect on results that are there. */
export function requestsOfMarker(event: StoreEvent<PodProbeMarker>, { pods }: Stores): readonly ObjectKey[] {
  if (event.kind !== 'Updated' || event.object.spec === event.previous.spec) return [];
  const { namespace = '' } = event.object.metadata;
  const matcher = matcherOf(event.object);
  const found = pods
    .list({ namespace })
    .filter((pod) => matcher.matches(pod.metadata.labels))
    .flatMap(podsByNode.valuesOf);
  return [...new Set(found)].map(listKey);
}
