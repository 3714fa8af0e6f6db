/**
 * Keeps the share of each PodProbeMarker in the work lists of the nodes (NodePodProbes), and its marks on Pods of serverless nodes.
 *
 *   marker, Pod, work list or node changed -> Pods of the marker -> finalizer -> a list per node -> serverless marks -> status
 *
 * @see spec/podprobemarker.md 5.1
 */
import { nodePodProbes, podProbeMarkerDeclaration, podProbeMarkers, type NodePodProbe, type PodProbeMarker } from '@kruise/api';
import {
  conflictPresets,
  enqueueSelf,
  outcomeOf,
  retryOnConflict,
  runPlan,
  settled,
  unlessGone,
  watchInformer,
  type Outcome,
  type Request,
  type StoreEvent,
} from '@kruise/kube';
import { formatKey, keyOf, nodes, parseKey, pods, seconds, sortUtf8, type ObjectKey, type Pod } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { podsByNode } from '../../caches/pods-by-node.ts';
import { leftOutMessage, recordLeftOut } from './events.ts';
import { execute, type Action } from './execute.ts';
import { plan, type Snapshot } from './plan.ts';
import { isProbable, matcherOf, planTargets, type Targets } from '../../probes/plan-targets.ts';
import { parseProbeName } from '../../probes/probe-name.ts';
import type { Index } from '../../caches/caches.ts';

const gathering = seconds(1);

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
  /** By marker, the nodes whose lists had no room for its probes. An entry leaves when all lists have room, and with the marker. */
  readonly #fullNodes = new Map<string, ReadonlySet<string>>();

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
    if (marker === undefined) {
      this.#fullNodes.delete(formatKey(key));
      return settled;
    }
    const { client, clock, logger } = this.#dependencies;
    const next = plan(this.#observe(marker));
    for (const { pod, probe } of next.unresolved)
      logger.warn({ podProbeMarker: keyOf(marker), pod, probe }, 'A probe cannot run: its container has no port of that name');
    const fullNodes = new Set(next.fullNodes);
    const io = { client, clock, marker, noteFull: (node: string) => void fullNodes.add(node) };
    const tools = {
      execute: (action: Action, during: AbortSignal) => execute(action, io, during),
      logger,
      about: { podProbeMarker: formatKey(key) },
    };
    // What fails on one node holds up neither the others nor the status.
    const worked = await runPlan(
      [
        { name: 'begin', actions: next.begin, onFailure: 'Stop' },
        { name: 'lists', actions: next.lists, onFailure: 'Collect', pace: 'AtOnce' },
        { name: 'serverless', actions: next.serverless, onFailure: 'Collect' },
      ],
      tools,
      signal,
    );
    this.#announceLeftOut(marker, fullNodes);
    if (worked.stoppedAt === undefined && next.matchedPods !== undefined) await this.#writeStatus(marker, next.matchedPods, signal);
    if (worked.error !== undefined) return outcomeOf(worked);
    return outcomeOf(await runPlan([{ name: 'end', actions: next.end, onFailure: 'Stop' }], tools, signal));
  }

  /** Once, and again when the message is another. */
  #announceLeftOut(marker: PodProbeMarker, fullNodes: ReadonlySet<string>): void {
    const key = formatKey(keyOf(marker));
    const before = this.#fullNodes.get(key);
    if (fullNodes.size === 0) {
      this.#fullNodes.delete(key);
      return;
    }
    this.#fullNodes.set(key, fullNodes);
    const message = leftOutMessage(sortUtf8([...fullNodes]));
    if (before !== undefined && message === leftOutMessage(sortUtf8([...before]))) return;
    recordLeftOut(this.#dependencies.recorderFor(podProbeMarkerDeclaration.controllerName), marker, message);
  }

  #observe(marker: PodProbeMarker): Snapshot {
    const { namespace = '', name } = marker.metadata;
    const targets = this.#targetsOf(marker);
    const wanted = [...targets.byNode.keys()].flatMap((node) => this.#lists.store.get({ namespace: '', name: node }) ?? []);
    const lists = [...new Set([...wanted, ...this.#lists.store.byIndex(byMarker, `${namespace}/${name}`)])];
    return { marker, targets, lists, marksServerless: this.#dependencies.gates.EnablePodProbeMarkerOnServerless };
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

  /**
   * A new list gets everybody's share; one that somebody changed gets back what was lost, and may have room for the probes of markers that found none.
   * Those come a second later, as a list that many markers write changes many times.
   */
  #markersOfList(event: StoreEvent<NodePodProbe>): readonly Request[] {
    if (event.kind === 'Added') return event.initial ? [] : this.#markersOnNode(event.object.metadata.name);
    if (event.kind === 'Deleted' || event.object.spec === event.previous.spec) return [];
    const keys = new Set([...markersIn(event.previous), ...markersIn(event.object)]);
    const leftOut = [...this.#fullNodes].flatMap(([key, full]) => (full.has(event.object.metadata.name) && !keys.has(key) ? [key] : []));
    return [...[...keys].map(parseKey), ...leftOut.map((key) => ({ key: parseKey(key), after: gathering }))];
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
  name: podProbeMarkerDeclaration.controllerName,
  workers: 'podprobemarker-workers',
  gates: ['KruiseDaemon', 'PodProbeMarkerGate'],
  define: (dependencies) => new PodProbeMarkerController(dependencies).work(),
};
