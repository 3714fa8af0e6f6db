/**
 * What the controller of PodProbeMarkers reads, and which rules it follows. It keeps the share of each marker in the work lists of the nodes
 * (NodePodProbes), and its marks on Pods of serverless nodes.
 *
 *   marker, Pod, work list or node changed -> Pods of the marker -> finalizer -> a list per node -> serverless marks -> status
 *
 * @see spec/podprobemarker.md 5.1
 */
import { nodePodProbes, podProbeMarkerDeclaration, podProbeMarkers, type NodePodProbe, type PodProbeMarker } from '@kruise/api';
import { watchInformer, type StoreReader } from '@kruise/kube';
import { formatKey, keyOf, nodes, pods, type Node, type Pod } from '@kruise/objects';
import { podsByNode } from '@kruise/workloads';
import { planTargets } from '@kruise/kinds/probes';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { ObjectPlan } from '../../workloads/passes/plan-definition.ts';
import { recordLeftOut } from './events.ts';
import { type Action, objectOf, plan, stagesOf, statusOf, type Plan, type Snapshot } from '@kruise/kinds/podprobemarker';
import { execute } from './execute.ts';
import { LeftOut } from './left-out.ts';
import { byMarker, requestsOfList, requestsOfNode, requestsOfPod } from './triggers.ts';

interface Known {
  readonly pods: StoreReader<Pod>;
  readonly nodes: StoreReader<Node>;
  readonly lists: StoreReader<NodePodProbe>;
  readonly leftOut: LeftOut;
  readonly marksServerless: boolean;
}

interface Types {
  readonly object: PodProbeMarker;
  readonly known: Known;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan & ObjectPlan<PodProbeMarker>;
  /** A node whose list has no room. */
  readonly note: string;
}

function observe(known: Known, marker: PodProbeMarker): Snapshot {
  const { namespace = '' } = marker.metadata;
  const nodeAt = (name: string) => (name === '' ? undefined : known.nodes.get({ namespace: '', name }));
  const targets = planTargets(marker, known.pods.list({ namespace, sorted: true }), nodeAt);
  const wanted = [...targets.byNode.keys()].flatMap((name) => known.lists.get({ namespace: '', name }) ?? []);
  const lists = [...new Set([...wanted, ...known.lists.byIndex(byMarker, formatKey(keyOf(marker)))])];
  return { marker, targets, lists, marksServerless: known.marksServerless };
}

/** @see spec/podprobemarker.md 5.1 */
export const podProbeMarkerController = planController<Types>({
  name: podProbeMarkerDeclaration.controllerName,
  workers: 'podprobemarker-workers',
  gates: ['KruiseDaemon', 'PodProbeMarkerGate'],
  type: podProbeMarkers,
  sources: ({ caches, gates: { EnablePodProbeMarkerOnServerless: marksServerless } }) => {
    const markers = caches.of(podProbeMarkers);
    const allPods = caches.of(pods, podsByNode);
    const allNodes = caches.of(nodes);
    const lists = caches.of(nodePodProbes, byMarker);
    const leftOut = new LeftOut();
    const stores = { markers: markers.store, pods: allPods.store };
    return {
      objects: markers,
      known: { pods: allPods.store, nodes: allNodes.store, lists: lists.store, leftOut, marksServerless },
      watches: [
        watchInformer(allPods, (event) => requestsOfPod(event, marksServerless, stores)),
        watchInformer(lists, (event) => requestsOfList(event, leftOut, stores)),
        watchInformer(allNodes, (event) => requestsOfNode(event, stores)),
      ],
      memories: [leftOut],
    };
  },
  rules: { observe, plan, conclude: ({ object, plan: { matchedPods } }) => statusOf(object, matchedPods) },
  status: 'Newest',
  stages: (next) => ({ before: stagesOf(next) }),
  objectOf,
  execute: (action, { client, clock, object: marker, note }, signal) => execute(action, { client, clock, marker, noteFull: note }, signal),
  announcePlan: ({ plan: { unresolved }, object, logger }) => {
    for (const { pod, probe } of unresolved)
      logger.warn({ podProbeMarker: keyOf(object), pod, probe }, 'Skipping a probe whose container has no port of that name');
  },
  announce: ({ object, plan: { fullNodes }, recorder, known: { leftOut } }, { notes }) => {
    const message = leftOut.note(object, new Set([...fullNodes, ...notes]));
    if (message !== undefined) recordLeftOut(recorder, object, message);
  },
});
