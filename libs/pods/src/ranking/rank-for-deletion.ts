/** Orders Pods for deletion when a workload scales down. @see spec/cloneset.md 5.5 */
import { annotations } from '@kruise/api';
import { addToList, type Pod } from '@kruise/objects';
import {
  earlierPhaseFirst,
  lackingFirst,
  largerFirst,
  leastWorthFirst,
  moreRestartsFirst,
  newerFirst,
  shorterReadyFirst,
  sortPods,
  unassignedFirst,
  unreadyFirst,
  type PodCriterion,
} from './sort-pods.ts';

/** Rank of each Pod; a Pod with a larger rank is deleted earlier. Missing Pods have 0. */
export type PodRanks = ReadonlyMap<Pod, number>;

const hostname = 'kubernetes.io/hostname';
const int32Text = /^(?:0|-?[1-9]\d*)$/;
const smallestInt32 = -2147483648;
const largestInt32 = 2147483647;

/** Returns the Pod's deletion cost; 0 when absent or not a plain int32 (`+1`, `007`, out of range). */
export function deletionCostOf(pod: Pod): number {
  const text = pod.metadata.annotations?.[annotations.podDeletionCost] ?? '';
  const cost = int32Text.test(text) ? Number(text) : 0;
  return cost >= smallestInt32 && cost <= largestInt32 ? cost : 0;
}

const higherRankFirst = (ranks: PodRanks): PodCriterion => largerFirst((pod) => ranks.get(pod) ?? 0);

/** Returns the part of the order from readiness on. */
const fromReadiness = (ranks: PodRanks): readonly PodCriterion[] => [
  unreadyFirst,
  deletionCostOf,
  higherRankFirst(ranks),
  shorterReadyFirst,
  moreRestartsFirst,
  newerFirst,
];

/** Returns the order within a node or topology domain: the full order without availability. */
const orderWithin = (ranks: PodRanks): readonly PodCriterion[] => [unassignedFirst, earlierPhaseFirst, ...fromReadiness(ranks)];

const noRanks: PodRanks = new Map();

/** Groups by a text; Pods without one are omitted. */
function groupBy(pods: readonly Pod[], text: (pod: Pod) => string | undefined): readonly (readonly Pod[])[] {
  const groups = new Map<string, Pod[]>();
  for (const pod of pods) {
    const group = text(pod);
    if (group === undefined) continue;
    addToList(groups, group, pod);
  }
  return [...groups.values()];
}

const nodeNameOf = (pod: Pod): string | undefined => ((pod.spec.nodeName ?? '') === '' ? undefined : pod.spec.nodeName);

/**
 * Returns ranks that spread the remaining Pods over nodes: of several Pods on a node all except the most valuable have a rank, the cheapest the
 * highest.
 *
 * @param pods the group to choose from, any order
 */
export function nodeSpreadRanks(pods: readonly Pod[]): PodRanks {
  const ranks = new Map<Pod, number>();
  for (const group of groupBy(pods, nodeNameOf)) {
    const sorted = sortPods(group, orderWithin(noRanks));
    sorted.forEach((pod, i) => ranks.set(pod, sorted.length - 1 - i));
  }
  return ranks;
}

/**
 * Returns ranks that keep the template's topology spread: Pods of full domains are deleted first, and of many small domains before few.
 *
 * @param topologyKeys of the template's constraints, in their order; maxSkew and selectors do not matter
 * @param nodeLabels labels of a node, undefined for an unknown one
 */
export function topologySpreadRanks(
  pods: readonly Pod[],
  topologyKeys: readonly string[],
  nodeLabels: (nodeName: string) => Readonly<Record<string, string>> | undefined,
): PodRanks {
  const ranks = new Map<Pod, number>();
  const byNode = nodeSpreadRanks(pods);
  for (const key of topologyKeys) {
    const groups = groupBy(pods, (pod) => {
      const node = nodeNameOf(pod);
      return node === undefined ? undefined : nodeLabels(node)?.[key];
    });
    const factor = Math.log(groups.length + 2);
    for (const group of groups) {
      const sorted = sortPods(group, orderWithin(key === hostname ? noRanks : byNode));
      sorted.forEach((pod, i) => ranks.set(pod, (ranks.get(pod) ?? 0) + (sorted.length - i) * factor));
    }
  }
  return ranks;
}

/**
 * Returns the Pods to delete, the first ones at the front. Equal Pods keep the given order.
 *
 * @param pods the group to choose from, any order
 * @param isAvailable as the kind defines it (readiness, lifecycle, in-place update)
 * @param ranks of {@link nodeSpreadRanks}, or {@link topologySpreadRanks} when the template has constraints
 */
export const rankForDeletion = (pods: readonly Pod[], isAvailable: (pod: Pod) => boolean, ranks: PodRanks): readonly Pod[] =>
  sortPods(pods, [unassignedFirst, earlierPhaseFirst, lackingFirst(isAvailable), ...fromReadiness(ranks)]);

/**
 * Orders surplus Pods in one place for deletion, independently of their deletion cost.
 *
 * @param pods any order
 * @returns those to delete first at the front; equal Pods keep the given order
 * @see spec/workloadspread.md 5.5
 */
export const rankSurplus = (pods: readonly Pod[]): readonly Pod[] => sortPods(pods, leastWorthFirst);
