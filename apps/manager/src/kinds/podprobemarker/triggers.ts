/** Which PodProbeMarkers an event concerns. @see spec/podprobemarker.md 5.1 */
import type { NodePodProbe, PodProbeMarker } from '@kruise/api';
import { statesOf, type Request, type StoreEvent, type StoreReader } from '@kruise/kube';
import { keyOf, parseKey, seconds, type Node, type ObjectKey, type Pod, type Index } from '@kruise/objects';
import { podsByNode } from '@kruise/workloads';
import { isProbable, matcherOf, parseProbeName } from '@kruise/kinds/probes';
import type { LeftOut } from './left-out.ts';

/** A list that many markers write changes many times. */
const gathering = seconds(1);

export interface Stores {
  readonly markers: StoreReader<PodProbeMarker>;
  /** With index {@link podsByNode}. */
  readonly pods: StoreReader<Pod>;
}

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

export const byMarker: Index<NodePodProbe> = { name: 'podprobemarker/marker', valuesOf: markersIn };

const conditionStatuses = (pod: Pod): ReadonlyMap<string, string> =>
  new Map((pod.status?.conditions ?? []).map(({ type, status }) => [type, status]));

const hasNewCondition = (object: Pod, previous: Pod): boolean => {
  if (object.status?.conditions === previous.status?.conditions) return false;
  const before = conditionStatuses(previous);
  return [...conditionStatuses(object)].some(([type, status]) => before.get(type) !== status);
};

/** Whether an update of a Pod may concern the markers that select it, now or before. */
function hasNews(object: Pod, previous: Pod, serverless: boolean): boolean {
  if (isProbable(object) !== isProbable(previous) || object.spec.nodeName !== previous.spec.nodeName) return true;
  if (!isProbable(object)) return false;
  if (object.status?.podIP !== previous.status?.podIP || object.metadata.labels !== previous.metadata.labels) return true;
  return serverless && hasNewCondition(object, previous);
}

function concernsMarkers(event: StoreEvent<Pod>, serverless: boolean): boolean {
  switch (event.kind) {
    case 'Added':
      return !event.initial && isProbable(event.object);
    case 'Updated':
      return hasNews(event.object, event.previous, serverless);
    case 'Deleted':
      return true;
  }
}

const markersOf = (pod: Pod, { markers }: Stores, ...labels: readonly Pod['metadata']['labels'][]): readonly ObjectKey[] =>
  markers
    .list({ namespace: pod.metadata.namespace ?? '' })
    .filter((marker) => labels.some((of) => matcherOf(marker).matches(of)))
    .map(keyOf);

const markersOnNode = (node: string, stores: Stores): readonly ObjectKey[] =>
  stores.pods.byIndex(podsByNode, node).flatMap((pod) => markersOf(pod, stores, pod.metadata.labels));

/** @param serverless gate EnablePodProbeMarkerOnServerless */
export const requestsOfPod = (event: StoreEvent<Pod>, serverless: boolean, stores: Stores): readonly ObjectKey[] =>
  concernsMarkers(event, serverless) ? markersOf(event.object, stores, ...statesOf(event).map(({ metadata }) => metadata.labels)) : [];

export const requestsOfNode = (event: StoreEvent<Node>, stores: Stores): readonly ObjectKey[] =>
  event.kind === 'Added' && !event.initial ? markersOnNode(event.object.metadata.name, stores) : [];

/**
 * A new list gets the share of every marker on its node. A list that another client changed gets back what was lost, and may have room for the probes of
 * markers that found none: those come a while later.
 */
export function requestsOfList(event: StoreEvent<NodePodProbe>, leftOut: LeftOut, stores: Stores): readonly Request[] {
  const { name } = event.object.metadata;
  if (event.kind === 'Added') return event.initial ? [] : markersOnNode(name, stores);
  if (event.kind === 'Deleted' || event.object.spec === event.previous.spec) return [];
  const keys = new Set([...markersIn(event.previous), ...markersIn(event.object)]);
  const others = leftOut.on(name).filter((key) => !keys.has(key));
  return [...[...keys].map(parseKey), ...others.map((key) => ({ key: parseKey(key), after: gathering }))];
}
