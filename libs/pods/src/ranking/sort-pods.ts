/** The single criteria that orders of Pods are made of, as numbers: the Pod with the smaller one comes first. */
import { type Instant, type Pod, isPodReady, parseTime, podCondition, podPhaseRank } from '@kruise/objects';

/** Smaller comes first. Never NaN. */
export type PodCriterion = (pod: Pod) => number;

/** Pods for which it does not hold come first. */
export const lackingFirst =
  (holds: (pod: Pod) => boolean): PodCriterion =>
  (pod) =>
    holds(pod) ? 1 : 0;

/** Larger numbers come first. */
export const largerFirst =
  (value: (pod: Pod) => number): PodCriterion =>
  (pod) =>
    -value(pod);

/** Later times come first, a missing time before all. */
const laterFirst = (time: Instant | undefined): number => (time === undefined ? Number.NEGATIVE_INFINITY : 0 - time);

/** Not on a node before on a node. */
export const unassignedFirst: PodCriterion = lackingFirst((pod) => (pod.spec.nodeName ?? '') !== '');
/** Pending before Unknown before Running. */
export const earlierPhaseFirst: PodCriterion = podPhaseRank;
/** Not ready before ready. */
export const unreadyFirst: PodCriterion = lackingFirst(isPodReady);
/** Ready for a shorter time first; says nothing about Pods that are not ready, so {@link unreadyFirst} has to stand before it. */
export const shorterReadyFirst: PodCriterion = (pod) =>
  isPodReady(pod) ? laterFirst(parseTime(podCondition(pod, 'Ready')?.lastTransitionTime)) : 0;
/** Newer Pods first. */
export const newerFirst: PodCriterion = (pod) => laterFirst(parseTime(pod.metadata.creationTimestamp));

const most = (counts: readonly number[]): number => counts.reduce((a, b) => Math.max(a, b), 0);

/** Most restarts of one container first. */
export const moreRestartsFirst: PodCriterion = largerFirst((pod) =>
  most((pod.status?.containerStatuses ?? []).map((status) => status.restartCount)),
);

/** Most restarts of one restartable init container first. */
export const moreSidecarRestartsFirst: PodCriterion = largerFirst((pod) => {
  const restartable = new Set(
    (pod.spec.initContainers ?? []).flatMap(({ name, restartPolicy }) => (restartPolicy === 'Always' ? name : [])),
  );
  const statuses = (pod.status?.initContainerStatuses ?? []).filter(({ name }) => restartable.has(name));
  return most(statuses.map((status) => status.restartCount));
});

/** What is worth least comes first, as far as a Pod alone says so. */
export const leastWorthFirst: readonly PodCriterion[] = [
  unassignedFirst,
  earlierPhaseFirst,
  unreadyFirst,
  shorterReadyFirst,
  moreRestartsFirst,
  moreSidecarRestartsFirst,
  newerFirst,
];

function compareRows(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i += 1) {
    const left = a[i] ?? 0;
    const right = b[i] ?? 0;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/**
 * Sorts by the first criterion that tells two Pods apart. Each criterion is asked once a Pod, so it may be costly.
 *
 * @returns a new list; Pods that nothing tells apart keep their order
 */
export function sortPods(pods: readonly Pod[], criteria: readonly PodCriterion[]): readonly Pod[] {
  // eslint-disable-next-line kruise/cross-product -- the program writes the criteria
  const rows = pods.map((pod) => ({ pod, row: criteria.map((criterion) => criterion(pod)) }));
  return rows.sort((a, b) => compareRows(a.row, b.row)).map(({ pod }) => pod);
}
