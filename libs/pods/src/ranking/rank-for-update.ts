/** Orders Pods for the update: the cheapest first, then by the rollout's strategies. @see spec/inplace-update.md 10 */
import type { PriorityStrategy, ScatterStrategy } from '@kruise/api';
import { type Pod, labelMatcherOrNothing, workloadLimits } from '@kruise/objects';
import { lifecycleStateOf } from '../lifecycle-state.ts';
import { largerFirst, sortByWorth, sortPods, type PodCriterion } from './sort-pods.ts';
import { scatterPods } from './scatter.ts';
import type { OrderTerm, WeightTerm } from './update-strategy.ts';

function weightOrder(terms: readonly WeightTerm[]): readonly PodCriterion[] {
  const matchers = terms.map(({ weight, matchSelector }) => ({ weight, matcher: labelMatcherOrNothing(matchSelector) }));
  const weightOf = (pod: Pod): number =>
    matchers.reduce((sum, { weight, matcher }) => (matcher.matches(pod.metadata.labels) ? sum + weight : sum), 0);
  return [largerFirst(weightOf)];
}

const largestInt = 2n ** 63n - 1n;

/** Returns the integer at the end of a label's value; 0 for none, and for one that exceeds 64 bits. */
function trailingNumber(value: string): number {
  const digits = /\d+$/.exec(value)?.[0];
  return digits === undefined || BigInt(digits) > largestInt ? 0 : Number(digits);
}

function keyOrder(terms: readonly OrderTerm[]): readonly PodCriterion[] {
  const levelOf = (pod: Pod): number => terms.findIndex(({ orderedKey }) => pod.metadata.labels?.[orderedKey] !== undefined);
  const numberOf = (pod: Pod): number => trailingNumber(pod.metadata.labels?.[terms[levelOf(pod)]?.orderedKey ?? ''] ?? '');
  return [levelOf, largerFirst(numberOf)];
}

/** Maximum of terms of a list: each is compared with every Pod. */
const most = workloadLimits.orderTerms.value;

const priorityOrder = ({ weightPriority = [], orderPriority = [] }: PriorityStrategy): readonly PodCriterion[] =>
  weightPriority.length > 0 ? weightOrder(weightPriority.slice(0, most)) : keyOrder(orderPriority.slice(0, most));

/** The criteria that rank Pods besides their cost. Each is applied after the previous one: priority, scattering, PreparingUpdate. */
export interface UpdateRanking {
  readonly priority?: PriorityStrategy;
  readonly scatter?: ScatterStrategy;
  /** Whether Pods in PreparingUpdate come before all others, because their hook has already notified others (CloneSet). */
  readonly preparingFirst: boolean;
}

/**
 * Returns the candidates, those to update first at the front. Equal Pods keep the given order.
 *
 * @param candidates any order
 * @param all Pods of the workload, any order, because scattering considers all of them
 */
export function rankForUpdate(candidates: readonly Pod[], all: readonly Pod[], ranking: UpdateRanking): readonly Pod[] {
  const byDefault = sortByWorth(candidates);
  const byPriority = ranking.priority === undefined ? byDefault : sortPods(byDefault, priorityOrder(ranking.priority));
  const scattered = scatterPods(byPriority, all, ranking.scatter ?? []);
  if (!ranking.preparingFirst) return scattered;
  const isPreparing = (pod: Pod): boolean => lifecycleStateOf(pod) === 'PreparingUpdate';
  return [...scattered.filter(isPreparing), ...scattered.filter((pod) => !isPreparing(pod))];
}

/**
 * Orders only by a strategy. Equal Pods keep the given order, as all do without a strategy.
 *
 * @see spec/statefulset.md 5.5.1
 */
export const rankByPriority = (candidates: readonly Pod[], priority: PriorityStrategy | undefined): readonly Pod[] =>
  priority === undefined ? candidates : sortPods(candidates, priorityOrder(priority));
