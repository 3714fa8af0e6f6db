/** The criteria of the orders of Pods, as numbers: the Pod with the smaller one comes first. */
import { memoized, type Instant, type Pod, isPodReady, parseTime, podCondition, podPhaseRank } from '@kruise/objects';

/** Returns a number; smaller comes first. Never NaN. */
export type PodCriterion = (pod: Pod) => number;

/** Orders Pods for which it does not hold first. */
export const lackingFirst =
  (holds: (pod: Pod) => boolean): PodCriterion =>
  (pod) =>
    holds(pod) ? 1 : 0;

/** Orders larger numbers first. */
export const largerFirst =
  (value: (pod: Pod) => number): PodCriterion =>
  (pod) =>
    -value(pod);

/** Orders later times first, a missing time before all. */
const laterFirst = (time: Instant | undefined): number => (time === undefined ? Number.NEGATIVE_INFINITY : 0 - time);

/** Orders Pods without a node before those on a node. */
export const unassignedFirst: PodCriterion = lackingFirst((pod) => (pod.spec.nodeName ?? '') !== '');
/** Orders Pending before Unknown before Running. */
export const earlierPhaseFirst: PodCriterion = podPhaseRank;
/** Orders not ready before ready. */
export const unreadyFirst: PodCriterion = lackingFirst(isPodReady);
/** Orders Pods that became ready later first. It does not order Pods that are not ready, so {@link unreadyFirst} has to precede it. */
export const shorterReadyFirst: PodCriterion = (pod) =>
  isPodReady(pod) ? laterFirst(parseTime(podCondition(pod, 'Ready')?.lastTransitionTime)) : 0;
/** Orders newer Pods first. */
export const newerFirst: PodCriterion = (pod) => laterFirst(parseTime(pod.metadata.creationTimestamp));

const most = (counts: readonly number[]): number => counts.reduce((a, b) => Math.max(a, b), 0);

/** Orders the most restarts of one container first. */
export const moreRestartsFirst: PodCriterion = largerFirst((pod) =>
  most((pod.status?.containerStatuses ?? []).map((status) => status.restartCount)),
);

/** Orders the most restarts of one restartable init container first. */
const moreSidecarRestartsFirst: PodCriterion = largerFirst((pod) => {
  const restartable = new Set(
    (pod.spec.initContainers ?? []).flatMap(({ name, restartPolicy }) => (restartPolicy === 'Always' ? name : [])),
  );
  const statuses = (pod.status?.initContainerStatuses ?? []).filter(({ name }) => restartable.has(name));
  return most(statuses.map((status) => status.restartCount));
});

/** Orders the least valuable Pods first, as far as a Pod alone shows. */
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

function sortByRow(pods: readonly Pod[], rowOf: (pod: Pod) => readonly number[]): readonly Pod[] {
  const rows = pods.map(rowOf);
  // Most Pods of a workload are equal.
  if (rows.every((row, index) => index === 0 || compareRows(rows[index - 1]!, row) <= 0)) return pods;
  return pods
    .map((pod, index) => ({ pod, row: rows[index]! }))
    .sort((a, b) => compareRows(a.row, b.row))
    .map(({ pod }) => pod);
}

/**
 * Sorts by the first criterion that distinguishes two Pods. Each criterion is called once for each Pod, so it may be expensive.
 *
 * @returns equal Pods keep their order; the given list when it is in order
 */
export const sortPods = (pods: readonly Pod[], criteria: readonly PodCriterion[]): readonly Pod[] =>
  sortByRow(pods, (pod) => criteria.map((criterion) => criterion(pod)));

const worthOf = memoized((pod: Pod): readonly number[] => leastWorthFirst.map((criterion) => criterion(pod)));

/** Sorts as {@link sortPods} does by {@link leastWorthFirst}. A Pod is judged once, however often it is sorted. @param pods objects that are never changed */
export const sortByWorth = (pods: readonly Pod[]): readonly Pod[] => sortByRow(pods, worthOf);
