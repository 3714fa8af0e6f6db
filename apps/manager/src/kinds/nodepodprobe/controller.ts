/**
 * What the controller of NodePodProbes reads, and which rules it follows. It gives every node its work list, keeps ended Pods off it, and carries results
 * into Pods.
 *
 *   node, list, Pod or marker changed -> list created or deleted -> ended Pods dropped -> results -> one status patch a Pod
 *
 * @see spec/podprobemarker.md 5.2
 */
import { nodePodProbeDeclaration, nodePodProbes, podProbeMarkers } from '@kruise/api';
import { watchInformer } from '@kruise/kube';
import { nodes, pods, type KubeObject } from '@kruise/objects';
import { podsByNode } from '@kruise/workloads';
import { planController } from '../../workloads/passes/plan-controller.ts';
import type { ObjectPlan } from '../../workloads/passes/plan-definition.ts';
import { execute } from './execute.ts';
import { plan, stagesOf, type Action, type Plan, type Snapshot } from '@kruise/kinds/nodepodprobe';
import { requestsOfMarker, requestsOfNode, requestsOfPod, type Stores } from './triggers.ts';

interface Types {
  /** The list of a node, or the Node that has none. */
  readonly object: KubeObject;
  readonly known: Stores;
  readonly snapshot: Snapshot;
  readonly action: Action;
  readonly plan: Plan & ObjectPlan<KubeObject>;
}

/** @see spec/podprobemarker.md 5.2 */
export const nodePodProbeController = planController<Types>({
  name: nodePodProbeDeclaration.controllerName,
  workers: 'nodepodprobe-workers',
  gates: ['KruiseDaemon', 'PodProbeMarkerGate'],
  type: nodePodProbes,
  sources: ({ caches }) => {
    // All namespaces, whatever --namespace says: a Pod that is not seen would be taken for ended.
    const markers = caches.everywhere(podProbeMarkers);
    const allPods = caches.everywhere(pods, podsByNode);
    const allNodes = caches.of(nodes);
    const lists = caches.of(nodePodProbes);
    const stores: Stores = { lists: lists.store, nodes: allNodes.store, pods: allPods.store, markers: markers.store };
    return {
      objects: lists,
      known: stores,
      find: (key) => stores.lists.get(key) ?? stores.nodes.get(key),
      alsoFound: [allNodes],
      watches: [
        watchInformer(allNodes, (event) => requestsOfNode(event, stores)),
        watchInformer(allPods, (event) => requestsOfPod(event, stores)),
        watchInformer(markers, (event) => requestsOfMarker(event, stores)),
      ],
    };
  },
  rules: {
    observe: (stores, _object, { key }) => ({
      name: key.name,
      list: stores.lists.get(key),
      node: stores.nodes.get(key),
      podAt: (of) => stores.pods.get(of),
      markerAt: (of) => stores.markers.get(of),
    }),
    plan,
  },
  stages: (next) => ({ before: stagesOf(next) }),
  execute: (action, { client, clock, snapshot: { podAt } }, signal) => execute(action, { client, clock, podAt }, signal),
});
