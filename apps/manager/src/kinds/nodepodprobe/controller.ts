/**
 * Gives every node its work list (NodePodProbe), keeps ended Pods off it, and carries results into Pods.
 *
 *   node, list, Pod or marker changed -> list made or removed -> ended Pods dropped -> results -> one status patch a Pod
 *
 * @see spec/podprobemarker.md 5.2
 */
import {
  nodePodProbeDeclaration,
  nodePodProbes,
  podProbeMarkers,
  type NodePodProbe,
  type PodProbeMarker,
  type PodProbeStatus,
} from '@kruise/api';
import {
  deleteExactly,
  asError,
  conflictPresets,
  enqueueSelf,
  isFailure,
  retry,
  retryOnConflict,
  settled,
  unlessGone,
  watchInformer,
  type Outcome,
  type StoreEvent,
} from '@kruise/kube';
import { isNodeReady, isPodActive, keyOf, nodes, pods, type Node, type ObjectKey, type Pod } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { podsByNode } from '../../caches/pods-by-node.ts';
import { matcherOf, isVirtual } from '../../probes/plan-targets.ts';
import { askedResults, planList, podOf, withoutEndedPods, type NodePods } from './plan-list.ts';
import { planMarksPatch, planPodResults, planResultsPatch } from './plan-results.ts';

const listKey = (node: string): ObjectKey => ({ namespace: '', name: node });

class NodePodProbeController {
  readonly #dependencies: ControllerDependencies;
  readonly #markers;
  readonly #pods;
  readonly #nodes;
  readonly #lists;

  constructor(dependencies: ControllerDependencies) {
    const { caches } = dependencies;
    // All namespaces, whatever --namespace says: a Pod that is not seen would be taken for ended.
    this.#dependencies = dependencies;
    this.#markers = caches.everywhere(podProbeMarkers);
    this.#pods = caches.everywhere(pods, podsByNode);
    this.#nodes = caches.of(nodes);
    this.#lists = caches.of(nodePodProbes);
  }

  work(): ControllerWork {
    return {
      watches: [
        watchInformer(this.#lists, enqueueSelf),
        watchInformer(this.#nodes, ({ object }) => (this.#concerns(object) ? [listKey(object.metadata.name)] : [])),
        watchInformer(this.#pods, (event) => this.#listsOfEnded(event)),
        watchInformer(this.#markers, (event) => this.#listsOfMarker(event)),
      ],
      reconcile: (key, signal) => this.reconcile(key, signal),
    };
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client } = this.#dependencies;
    const list = this.#lists.store.get(key);
    switch (planList(list, this.#nodes.store.get(key))) {
      case 'Create':
        await this.#createList(key, signal);
        return settled;
      case 'Delete':
        if (list !== undefined) await deleteExactly(client, nodePodProbes, list, { signal });
        return settled;
      case 'Keep':
        return list === undefined ? settled : this.#sync(list, signal);
    }
  }

  async #createList({ name }: ObjectKey, signal: AbortSignal): Promise<void> {
    try {
      await this.#dependencies.client.create(nodePodProbes, { metadata: { name }, spec: {} }, { signal });
    } catch (error) {
      // It is on its way to the store.
      if (!isFailure(error, 'AlreadyExists')) throw error;
    }
  }

  async #sync(list: NodePodProbe, signal: AbortSignal): Promise<Outcome> {
    await this.#dropEnded(list, signal);
    let failure: Error | undefined;
    for (const status of askedResults(list)) {
      const pod = podOf(status, this.#podsOf(list));
      if (pod === undefined) continue;
      try {
        await this.#writeResults(pod, status, signal);
      } catch (error) {
        failure ??= asError(error);
      }
      signal.throwIfAborted();
    }
    return failure === undefined ? settled : retry(failure);
  }

  #podsOf({ metadata }: NodePodProbe): NodePods {
    return { node: metadata.name, podAt: (key) => this.#pods.store.get(key) };
  }

  async #dropEnded(list: NodePodProbe, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#dependencies;
    await retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (from) => {
      const fresh = from === 'Cache' ? list : await client.get(nodePodProbes, keyOf(list), { signal });
      const held = fresh.spec?.podProbes ?? [];
      const podProbes = withoutEndedPods(held, this.#podsOf(list));
      if (podProbes !== held) await client.update(nodePodProbes, { ...fresh, spec: { ...fresh.spec, podProbes } }, { signal });
    });
  }

  async #writeResults(pod: Pod, status: PodProbeStatus, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#dependencies;
    const namespace = status.namespace;
    const results = planPodResults(status, (name) => this.#markers.store.get({ namespace, name }));
    const writing = retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (from) => {
      const held = from === 'Cache' ? pod : await client.get(pods, keyOf(pod), { signal });
      const patch = held.metadata.uid === pod.metadata.uid ? planResultsPatch(held, results) : undefined;
      if (patch === undefined) return;
      const answer = await client.patch(pods, keyOf(pod), patch, { type: 'strategic', subresource: 'status', signal });
      const rest = planMarksPatch(answer, results);
      if (rest !== undefined) await client.patch(pods, keyOf(pod), rest, { type: 'strategic', signal });
    });
    await unlessGone(writing);
  }

  /** Heartbeats change nothing here. */
  #concerns(node: Node): boolean {
    const hasList = this.#lists.store.get(listKey(node.metadata.name)) !== undefined;
    const exists = this.#nodes.store.get(listKey(node.metadata.name)) !== undefined && node.metadata.deletionTimestamp === undefined;
    return hasList ? !exists : exists && isNodeReady(node) && !isVirtual(node);
  }

  #listsOfEnded(event: StoreEvent<Pod>): readonly ObjectKey[] {
    if (event.kind === 'Added' || (event.kind === 'Updated' && isPodActive(event.object))) return [];
    const { uid } = event.object.metadata;
    return podsByNode
      .valuesOf(event.object)
      .map(listKey)
      .filter((key) => this.#lists.store.get(key)?.spec?.podProbes?.some((entry) => entry.uid === uid) === true);
  }

  /** A policy that changed takes effect on results that are there. */
  #listsOfMarker(event: StoreEvent<PodProbeMarker>): readonly ObjectKey[] {
    if (event.kind !== 'Updated' || event.object.spec === event.previous.spec) return [];
    const { namespace = '' } = event.object.metadata;
    const matcher = matcherOf(event.object);
    const found = this.#pods.store
      .list({ namespace })
      .filter((pod) => matcher.matches(pod.metadata.labels))
      .flatMap(podsByNode.valuesOf);
    return [...new Set(found)].map(listKey);
  }
}

/** @see spec/podprobemarker.md 5.2 */
export const nodePodProbeController: ControllerModule = {
  name: nodePodProbeDeclaration.controllerName,
  workers: 'nodepodprobe-workers',
  gates: ['KruiseDaemon', 'PodProbeMarkerGate'],
  define: (dependencies) => new NodePodProbeController(dependencies).work(),
};
