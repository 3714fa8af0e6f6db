/**
 * Keeps the share of each PodProbeMarker in the work lists of the nodes (NodePodProbes), and its marks on Pods of serverless nodes.
 *
 *   marker, Pod, work list or node changed -> Pods of the marker -> finalizer -> a list per node -> serverless marks -> status
 *
 * Many markers share one list: a conflict is tried again on a fresh one, and what fails on one node holds up neither the others nor the status.
 *
 * @see spec/podprobemarker.md 5.1
 */
import { controllerNames, finalizers, nodePodProbes, podProbeMarkers, type NodePodProbe, type PodProbeMarker } from '@kruise/api';
import {
  asError,
  conflictPresets,
  enqueueSelf,
  inParallel,
  isFailure,
  retry,
  retryOnConflict,
  settled,
  unlessGone,
  watchInformer,
  type Outcome,
  type StoreEvent,
} from '@kruise/kube';
import { hasFinalizer, keyOf, nodes, pods, withFinalizer, withoutFinalizer, type ObjectKey, type Pod } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { podsByNode } from '../../caches/pods-by-node.ts';
import { planNodeProbes } from './plan-node-probes.ts';
import { planServerlessMarks } from './plan-serverless.ts';
import { countTargets, isProbable, matcherOf, planTargets, type Targets } from '../../probes/plan-targets.ts';
import { parseProbeName } from '../../probes/probe-name.ts';
import type { Index } from '../../caches/caches.ts';

/** Nodes whose lists are written at a time for one marker. */
const parallelNodes = 16;

/** The markers that have a share in a list, as `<namespace>/<name>`. */
function markersIn({ spec }: NodePodProbe): readonly string[] {
  const keys = (spec?.podProbes ?? []).flatMap(({ namespace, probes = [] }) =>
    probes.flatMap(({ name }) => {
      const marker = parseProbeName(name)?.marker;
      return marker === undefined ? [] : [`${namespace}/${marker}`];
    }),
  );
  return [...new Set(keys)];
}

const byMarker: Index<NodePodProbe> = { name: 'podprobemarker/marker', valuesOf: markersIn };

const conditionStatuses = (pod: Pod): ReadonlyMap<string, string> =>
  new Map((pod.status?.conditions ?? []).map(({ type, status }) => [type, status]));

const hasNewCondition = (object: Pod, previous: Pod): boolean => {
  if (object.status?.conditions === previous.status?.conditions) return false;
  const before = conditionStatuses(previous);
  return [...conditionStatuses(object)].some(([type, status]) => before.get(type) !== status);
};

/** Whether an update of a Pod may concern the markers that select it, now or before. */
function isTelling(object: Pod, previous: Pod, serverless: boolean): boolean {
  if (isProbable(object) !== isProbable(previous) || object.spec.nodeName !== previous.spec.nodeName) return true;
  if (!isProbable(object)) return false;
  if (object.status?.podIP !== previous.status?.podIP || object.metadata.labels !== previous.metadata.labels) return true;
  return serverless && hasNewCondition(object, previous);
}

function isTold(event: StoreEvent<Pod>, serverless: boolean): boolean {
  switch (event.kind) {
    case 'Added':
      return !event.initial && isProbable(event.object);
    case 'Updated':
      return isTelling(event.object, event.previous, serverless);
    case 'Deleted':
      return true;
  }
}

class PodProbeMarkerController {
  readonly #dependencies: ControllerDependencies;
  readonly #markers;
  readonly #pods;
  readonly #nodes;
  readonly #lists;

  constructor(dependencies: ControllerDependencies) {
    const { caches } = dependencies;
    this.#dependencies = dependencies;
    this.#markers = caches.of(podProbeMarkers);
    this.#pods = caches.of(pods, podsByNode);
    this.#nodes = caches.of(nodes);
    this.#lists = caches.of(nodePodProbes, byMarker);
  }

  work(): ControllerWork {
    const { gates } = this.#dependencies;
    const serverless = gates.EnablePodProbeMarkerOnServerless;
    return {
      watches: [
        watchInformer(this.#markers, enqueueSelf),
        watchInformer(this.#pods, (event) =>
          isTold(event, serverless) ? this.#markersOf(event.object, event.kind === 'Updated' ? event.previous : undefined) : [],
        ),
        watchInformer(this.#lists, (event) => this.#markersOfList(event)),
        watchInformer(this.#nodes, (event) =>
          event.kind === 'Added' && !event.initial ? this.#markersOnNode(event.object.metadata.name) : [],
        ),
      ],
      reconcile: (key, signal) => this.reconcile(key, signal),
    };
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const marker = this.#markers.store.get(key);
    if (marker === undefined) return settled;
    const isGoing = marker.metadata.deletionTimestamp !== undefined;
    if (isGoing && !hasFinalizer(marker, finalizers.nodePodProbeCleanup)) return settled;
    if (!isGoing) await this.#changeFinalizers(marker, withFinalizer, signal);
    const targets = this.#targetsOf(marker);
    const failures = await this.#syncNodes(marker, isGoing ? new Map() : targets.byNode, signal);
    if (isGoing) {
      if (failures.length === 0) await this.#changeFinalizers(marker, withoutFinalizer, signal);
    } else {
      failures.push(...(await this.#syncServerless(marker, targets.serverless, signal)));
      await this.#writeStatus(marker, countTargets(targets), signal);
    }
    return failures[0] === undefined ? settled : retry(failures[0]);
  }

  #targetsOf(marker: PodProbeMarker): Targets {
    const namespace = marker.metadata.namespace ?? '';
    const nodeAt = (name: string) => (name === '' ? undefined : this.#nodes.store.get({ namespace: '', name }));
    return planTargets(marker, this.#pods.store.list({ namespace, sorted: true }), nodeAt);
  }

  #markersOf(pod: Pod, previous: Pod | undefined): readonly ObjectKey[] {
    return this.#markers.store
      .list({ namespace: pod.metadata.namespace ?? '' })
      .filter(
        (marker) =>
          matcherOf(marker).matches(pod.metadata.labels) || (previous !== undefined && matcherOf(marker).matches(previous.metadata.labels)),
      )
      .map(keyOf);
  }

  #markersOnNode(node: string): readonly ObjectKey[] {
    return this.#pods.store.byIndex(podsByNode, node).flatMap((pod) => this.#markersOf(pod, undefined));
  }

  /** A new list gets everybody's share; one that somebody changed gets back what was lost. */
  #markersOfList(event: StoreEvent<NodePodProbe>): readonly ObjectKey[] {
    if (event.kind === 'Added') return event.initial ? [] : this.#markersOnNode(event.object.metadata.name);
    if (event.kind === 'Deleted' || event.object.spec === event.previous.spec) return [];
    const keys = new Set([...markersIn(event.previous), ...markersIn(event.object)]);
    return [...keys].map((key) => {
      const [namespace = '', name = ''] = key.split('/');
      return { namespace, name };
    });
  }

  async #syncNodes(marker: PodProbeMarker, wanted: Targets['byNode'], signal: AbortSignal): Promise<Error[]> {
    const { namespace = '', name } = marker.metadata;
    const held = this.#lists.store.byIndex(byMarker, `${namespace}/${name}`).map((list) => list.metadata.name);
    const nodeNames = [...new Set([...wanted.keys(), ...held])];
    const failures: Error[] = [];
    await inParallel(nodeNames, parallelNodes, async (node) => {
      if (signal.aborted) return;
      try {
        await this.#syncNode(node, marker, { pods: wanted.get(node) ?? [], signal });
      } catch (error) {
        failures.push(asError(error));
      }
    });
    signal.throwIfAborted();
    return failures;
  }

  /** A node without a list gets its share when the list is made. */
  async #syncNode(
    node: string,
    marker: PodProbeMarker,
    { pods: here, signal }: { readonly pods: readonly Pod[]; readonly signal: AbortSignal },
  ): Promise<void> {
    const { client, clock, logger } = this.#dependencies;
    await retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (from) => {
      const list = from === 'Cache' ? this.#lists.store.get({ namespace: '', name: node }) : await this.#readList(node, signal);
      if (list === undefined) return;
      const held = list.spec?.podProbes ?? [];
      const { podProbes, unresolved } = planNodeProbes(held, marker, here);
      for (const { pod, probe } of unresolved)
        logger.warn({ podProbeMarker: keyOf(marker), pod, probe }, 'A probe cannot run: its container has no port of that name');
      if (podProbes === held) return;
      await client.update(nodePodProbes, { ...list, spec: { ...list.spec, podProbes } }, { signal });
    });
  }

  async #readList(node: string, signal: AbortSignal): Promise<NodePodProbe | undefined> {
    try {
      return await this.#dependencies.client.get(nodePodProbes, { namespace: '', name: node }, { signal });
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #syncServerless(marker: PodProbeMarker, targets: readonly Pod[], signal: AbortSignal): Promise<readonly Error[]> {
    const { client, gates } = this.#dependencies;
    if (!gates.EnablePodProbeMarkerOnServerless) return [];
    const failures: Error[] = [];
    for (const pod of targets) {
      const patch = planServerlessMarks(marker, pod);
      if (patch === undefined) continue;
      try {
        await client.patch(pods, keyOf(pod), patch, { type: 'strategic', signal });
      } catch (error) {
        if (!isFailure(error, 'NotFound')) failures.push(asError(error));
      }
    }
    return failures;
  }

  async #changeFinalizers(marker: PodProbeMarker, change: typeof withFinalizer, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#dependencies;
    const writing = retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (from) => {
      const held = from === 'Cache' ? marker : await client.get(podProbeMarkers, keyOf(marker), { signal });
      const before = held.metadata.finalizers ?? [];
      const next = change(before, finalizers.nodePodProbeCleanup);
      if (next === before || held.metadata.uid !== marker.metadata.uid) return;
      await client.update(podProbeMarkers, { ...held, metadata: { ...held.metadata, finalizers: next } }, { signal });
    });
    await unlessGone(writing);
  }

  async #writeStatus({ metadata }: PodProbeMarker, matchedPods: number, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#dependencies;
    const writing = retryOnConflict(conflictPresets.defaultBackoff, { clock, signal }, async (from) => {
      const key = { namespace: metadata.namespace ?? '', name: metadata.name };
      const held = from === 'Cache' ? this.#markers.store.get(key) : await client.get(podProbeMarkers, key, { signal });
      if (held === undefined || held.metadata.uid !== metadata.uid) return;
      // Of the marker that was acted on: a newer generation brings its own reconcile.
      const observedGeneration = metadata.generation ?? 0;
      if (held.status?.observedGeneration === observedGeneration && (held.status.matchedPods ?? 0) === matchedPods) return;
      await client.updateStatus(podProbeMarkers, { ...held, status: { ...held.status, observedGeneration, matchedPods } }, { signal });
    });
    await unlessGone(writing);
  }
}

/** @see spec/podprobemarker.md 5.1 */
export const podProbeMarkerController: ControllerModule = {
  name: controllerNames.podProbeMarker,
  workers: 'podprobemarker-workers',
  gates: ['KruiseDaemon', 'PodProbeMarkerGate'],
  define: (dependencies) => new PodProbeMarkerController(dependencies).work(),
};
