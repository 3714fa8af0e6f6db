/** Pods that were created past the Pod webhook: what they lack. Pure. */
import { isOfOurKinds } from '@kruise/workloads';
import { podConditions, sidecarSetAnnotations } from '@kruise/api';
import { isPodActive, hasReadinessGate, instant, labelMatcherOf, type Instant, type LabelSelector, type Pod } from '@kruise/objects';
import { withoutBasesOfCanaries, type FieldWriters } from '@kruise/kinds/sidecarset';
import type { KnownSidecarSet } from './known-sidecar-sets.ts';

export interface Missed {
  /** The name of the webhook's part that was passed by, as in `REASON.mpod.kb.io`. */
  readonly reason: 'kruise-workload' | 'sidecarset';
  /** In words, for the event. */
  readonly lacks: string;
}

export interface Seen {
  /** Of the Pod's namespace; undefined when there is none (any more). */
  readonly namespaceLabels: Readonly<Record<string, string>> | undefined;
  /** What the installer lets through without asking; undefined when there is no Pod webhook at all. */
  readonly webhook: { readonly namespaceSelector?: LabelSelector; readonly objectSelector?: LabelSelector } | undefined;
  readonly sidecarSets: readonly KnownSidecarSet[];
  /** Who wrote the labels that selectors look at, and when; absent while all that is there counts as having been there from the beginning. */
  readonly writers?: { readonly pod: FieldWriters; readonly namespace: FieldWriters };
}

/** Times of creation are whole seconds, and caches of replicas are not equally far. */
const toleranceMs = 2000;

const selects = (selector: LabelSelector | undefined, labels: Readonly<Record<string, string>> | undefined): boolean => {
  if (selector === undefined) return true;
  const parsed = labelMatcherOf(selector);
  return parsed.kind === 'Matcher' && parsed.matcher.matches(labels);
};

type Selector = LabelSelector | null | undefined;

const keysOf = (selector: Selector): readonly string[] => [
  ...Object.keys(selector?.matchLabels ?? {}),
  ...(selector?.matchExpressions ?? []).map(({ key }) => key),
];

const createdMsOf = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? '');

/** Until when what was written counts as written at the Pod's creation. */
const creationOf = (pod: Pod): Instant => instant(createdMsOf(pod) + toleranceMs);

/** Whether the selectors took the Pod when it was created, as they take it now; not where that cannot be known. */
function tookAtCreation(pod: Pod, { writers }: Seen, ofPod: Selector, ofNamespace: Selector): boolean {
  if (writers === undefined) return true;
  const then = creationOf(pod);
  return writers.pod.labelsStoodAt(keysOf(ofPod), then) && writers.namespace.labelsStoodAt(keysOf(ofNamespace), then);
}

/** Whether the API server would have asked about the Pod if it were needed. */
function isCovered(pod: Pod, seen: Seen): boolean {
  const { namespaceLabels, webhook } = seen;
  if (webhook === undefined) return false;
  const { namespaceSelector, objectSelector } = webhook;
  const takesIt = selects(namespaceSelector, namespaceLabels) && selects(objectSelector, pod.metadata.labels);
  return takesIt && tookAtCreation(pod, seen, objectSelector, namespaceSelector);
}

function missedSidecarSets(pod: Pod, seen: Seen): readonly string[] {
  const { namespaceLabels, sidecarSets } = seen;
  const createdMs = createdMsOf(pod);
  const matching = sidecarSets.filter(
    ({ matcher }) => matcher.matchesNamespace(namespaceLabels) && matcher.matchesLabels(pod.metadata.labels),
  );
  const wanted = new Set(withoutBasesOfCanaries(matching.map(({ set }) => set)));
  const injected = new Set((pod.metadata.annotations?.[sidecarSetAnnotations.injectedList] ?? '').split(','));
  return matching
    .filter(({ set, since }) => wanted.has(set) && !injected.has(set.metadata.name) && createdMs >= since + toleranceMs)
    .filter(({ set: { spec } }) => tookAtCreation(pod, seen, spec.selector, spec.namespaceSelector))
    .map(({ set }) => set.metadata.name);
}

/** A Pod that one of our workloads took over, which did not create it, never came to the webhook as one of its own. */
const isMissedByKinds = (pod: Pod, { writers }: Seen): boolean =>
  isOfOurKinds(pod) &&
  !hasReadinessGate(pod, podConditions.kruisePodReady) &&
  (writers === undefined || writers.pod.ownersStoodAt(creationOf(pod)));

/** @returns empty for a Pod that lacks nothing, that no webhook call would have covered, or that is finished or terminating */
export function planMissed(pod: Pod, seen: Seen): readonly Missed[] {
  if (!isPodActive(pod) || !isCovered(pod, seen)) return [];
  const names = missedSidecarSets(pod, seen);
  return [
    ...(isMissedByKinds(pod, seen)
      ? [{ reason: 'kruise-workload', lacks: `the readiness gate ${podConditions.kruisePodReady}` } as const]
      : []),
    ...(names.length > 0 ? [{ reason: 'sidecarset', lacks: `the sidecars of ${names.join(', ')}` } as const] : []),
  ];
}
