/** The status of a budget. Pure. @see spec/podunavailablebudget.md 2.2, 5.6 */
import type { PodUnavailableBudget, PodUnavailableBudgetStatus } from '@kruise/api';
import { conditionTypes } from '@kruise/api';
import { formatTime, removeCondition, semanticEqual, setCondition, type Instant } from '@kruise/objects';

/** Why a budget cannot do what it is for, or lets nothing go. */
export interface BudgetCause {
  readonly reason: 'InvalidSpec' | 'WorkloadUnknown' | 'NeverAllows';
  readonly message: string;
}

export type Conditions = NonNullable<PodUnavailableBudgetStatus['conditions']>;

/** The condition is present only while there is a cause. */
export function conditionsFor({ status, metadata }: PodUnavailableBudget, cause: BudgetCause | undefined, now: Instant): Conditions {
  const held = status?.conditions ?? [];
  if (cause === undefined) return removeCondition(held, conditionTypes.blocked);
  const { generation = 0 } = metadata;
  const time = formatTime(now);
  return setCondition(
    held,
    { type: conditionTypes.blocked, status: 'True', ...cause, observedGeneration: generation, lastTransitionTime: time } as const,
    now,
  );
}

type Entries = Readonly<Record<string, string>>;
const isEmpty = (entries: Entries): boolean => Object.keys(entries).length === 0;

export interface Counted {
  readonly total: number;
  readonly desired: number;
  readonly current: number;
  readonly disruptedPods: Entries;
  readonly unavailablePods: Entries;
  readonly conditions: Conditions;
}

/** Empty maps and lists are omitted. */
export const computeStatus = (generation: number, counted: Counted): PodUnavailableBudgetStatus => ({
  observedGeneration: generation,
  totalReplicas: counted.total,
  desiredAvailable: counted.desired,
  currentAvailable: counted.current,
  unavailableAllowed: Math.max(0, counted.current - counted.desired),
  ...(isEmpty(counted.disruptedPods) ? {} : { disruptedPods: counted.disruptedPods }),
  ...(isEmpty(counted.unavailablePods) ? {} : { unavailablePods: counted.unavailablePods }),
  ...(counted.conditions.length === 0 ? {} : { conditions: counted.conditions }),
});

/** Whether two statuses say the same: absent and empty maps are equal. */
export function isSameStatus(held: PodUnavailableBudgetStatus | undefined, next: PodUnavailableBudgetStatus): boolean {
  const { disruptedPods, unavailablePods, ...rest } = held ?? {};
  const maps = { disruptedPods: disruptedPods ?? {}, unavailablePods: unavailablePods ?? {} };
  return semanticEqual({ ...rest, ...maps }, { disruptedPods: {}, unavailablePods: {}, ...next });
}
