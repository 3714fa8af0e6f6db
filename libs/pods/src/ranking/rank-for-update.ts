/** In which order Pods are updated: those that cost least first, then as the rollout's strategies say. @see spec/inplace-update.md 10 */
import type { PriorityStrategy, ScatterStrategy } from '@kruise/api';
import { type Pod, labelMatcherOrNothing } from '@kruise/objects';
import { lifecycleStateOf } from '../lifecycle/lifecycle-state.ts';
import {
  type PodOrder,
  earlierPhaseFirst,
  inTurn,
  lackingFirst,
  largerFirst,
  lookedUp,
  newerFirst,
  restartsOf,
  shorterReadyFirst,
  smallerFirst,
  sortPods,
  unassignedFirst,
  unreadyFirst,
} from './compare-pods.ts';
import { scatterPods } from './scatter.ts';
import type { OrderTerm, WeightTerm } from './update-strategy.ts';

/** What is worth least comes first. */
export const defaultUpdateOrder: PodOrder = inTurn(
  unassignedFirst,
  earlierPhaseFirst,
  unreadyFirst,
  shorterReadyFirst,
  largerFirst((pod) => restartsOf(pod).main),
  largerFirst((pod) => restartsOf(pod).sidecar),
  newerFirst,
);

function weightOrder(pods: readonly Pod[], terms: readonly WeightTerm[]): PodOrder {
  const matchers = terms.map(({ weight, matchSelector }) => ({ weight, matcher: labelMatcherOrNothing(matchSelector) }));
  const weightOf = (pod: Pod): number =>
    matchers.reduce((sum, { weight, matcher }) => (matcher.matches(pod.metadata.labels) ? sum + weight : sum), 0);
  return largerFirst(lookedUp(pods, weightOf));
}

const largestInt = 2n ** 63n - 1n;

/** The integer at the end of a label's value; 0 for none, and for one that does not fit into 64 bits. */
function trailingNumber(value: string): number {
  const digits = /\d+$/.exec(value)?.[0];
  return digits === undefined || BigInt(digits) > largestInt ? 0 : Number(digits);
}

function keyOrder(pods: readonly Pod[], terms: readonly OrderTerm[]): PodOrder {
  const rank = lookedUp(pods, (pod) => {
    const held = pod.metadata.labels ?? {};
    const level = terms.findIndex(({ orderedKey }) => held[orderedKey] !== undefined);
    return { level, number: trailingNumber(held[terms[level]?.orderedKey ?? ''] ?? '') };
  });
  return inTurn(
    smallerFirst((pod) => rank(pod).level),
    largerFirst((pod) => rank(pod).number),
  );
}

function priorityOrder(pods: readonly Pod[], { weightPriority = [], orderPriority = [] }: PriorityStrategy): PodOrder {
  return weightPriority.length > 0 ? weightOrder(pods, weightPriority) : keyOrder(pods, orderPriority);
}

export interface UpdateRanking {
  readonly priority?: PriorityStrategy;
  readonly scatter?: ScatterStrategy;
  /** Whether Pods in PreparingUpdate come first of all: their hook has let others know already (CloneSet). */
  readonly preparingFirst: boolean;
}

/**
 * @param candidates any order
 * @param all Pods of the workload, any order: scattering looks at the whole
 * @returns the candidates, those to update first at the front. Pods that nothing tells apart keep the order given.
 */
export function rankForUpdate(candidates: readonly Pod[], all: readonly Pod[], ranking: UpdateRanking): readonly Pod[] {
  const byDefault = sortPods(candidates, defaultUpdateOrder);
  const byPriority = ranking.priority === undefined ? byDefault : sortPods(byDefault, priorityOrder(candidates, ranking.priority));
  const scattered = scatterPods(byPriority, all, ranking.scatter ?? []);
  return ranking.preparingFirst
    ? sortPods(
        scattered,
        lackingFirst((pod) => lifecycleStateOf(pod) !== 'PreparingUpdate'),
      )
    : scattered;
}
