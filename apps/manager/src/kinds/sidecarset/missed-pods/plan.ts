/** Pods that were created past the Pod webhook: what they lack. Pure. */
import { podConditions, sidecarSetAnnotations } from '@kruise/api';
import { hasReadinessGate, labelMatcherOf, type LabelSelector, type Pod } from '@kruise/objects';
import { withoutBasesOfCanaries } from '../matching.ts';
import { isOfOurKinds } from '../../../pod-admission/of-our-kinds.ts';
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
}

/** Times of creation are whole seconds, and caches of replicas are not equally far. */
const toleranceMs = 2000;

const selects = (selector: LabelSelector | undefined, labels: Readonly<Record<string, string>> | undefined): boolean => {
  if (selector === undefined) return true;
  const parsed = labelMatcherOf(selector);
  return parsed.kind === 'Matcher' && parsed.matcher.matches(labels);
};

/** Whether the API server would ask about the Pod if it were needed. */
const isCovered = (pod: Pod, { namespaceLabels, webhook }: Seen): boolean =>
  webhook !== undefined && selects(webhook.namespaceSelector, namespaceLabels) && selects(webhook.objectSelector, pod.metadata.labels);

const isOver = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed';

function missedSidecarSets(pod: Pod, { namespaceLabels, sidecarSets }: Seen): readonly string[] {
  const createdMs = Date.parse(pod.metadata.creationTimestamp ?? '');
  const matching = sidecarSets.filter(
    ({ matcher }) => matcher.matchesNamespace(namespaceLabels) && matcher.matchesLabels(pod.metadata.labels),
  );
  const wanted = new Set(withoutBasesOfCanaries(matching.map(({ set }) => set)));
  const injected = new Set((pod.metadata.annotations?.[sidecarSetAnnotations.injectedList] ?? '').split(','));
  return matching
    .filter(({ set, since }) => wanted.has(set) && !injected.has(set.metadata.name) && createdMs >= since + toleranceMs)
    .map(({ set }) => set.metadata.name);
}

/** @returns empty for a Pod that lacks nothing, that nobody would have been asked about, or whose end has come */
export function planMissed(pod: Pod, seen: Seen): readonly Missed[] {
  if (isOver(pod) || !isCovered(pod, seen)) return [];
  const names = missedSidecarSets(pod, seen);
  return [
    ...(isOfOurKinds(pod) && !hasReadinessGate(pod, podConditions.kruisePodReady)
      ? [{ reason: 'kruise-workload', lacks: `the readiness gate ${podConditions.kruisePodReady}` } as const]
      : []),
    ...(names.length > 0 ? [{ reason: 'sidecarset', lacks: `the sidecars of ${names.join(', ')}` } as const] : []),
  ];
}
