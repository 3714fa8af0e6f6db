/** Validates the `priorityStrategy` and `scatterStrategy` of a rollout. @see spec/inplace-update.md 10 */
import type { PriorityStrategy, ScatterStrategy } from '@kruise/api';
import {
  type FieldError,
  fieldDuplicate,
  fieldPath,
  fieldRequired,
  fieldTooMany,
  isEmptyLabelSelector,
  validateLabelSelector,
  workloadLimits,
} from '@kruise/objects';

/** A selector with a weight. Matching Pods gain the weight. */
export type WeightTerm = NonNullable<PriorityStrategy['weightPriority']>[number];
/** A label key: Pods are ordered by the number in its value. */
export type OrderTerm = NonNullable<PriorityStrategy['orderPriority']>[number];
/** A label and value whose Pods are spread over the rollout. */
export type ScatterTerm = ScatterStrategy[number];

const maxWeight = 100;

function validateWeightTerm({ weight, matchSelector }: WeightTerm, path: string): readonly FieldError[] {
  const weightFaults =
    Number.isInteger(weight) && weight >= 0 && weight <= maxWeight
      ? []
      : [fieldRequired(fieldPath(path, 'weight'), 'weight must be valid and in the range 1-100')];
  const selectorPath = fieldPath(path, 'matchSelector');
  if (isEmptyLabelSelector(matchSelector ?? {})) return [...weightFaults, fieldRequired(selectorPath, 'selector can not be empty')];
  return [...weightFaults, ...validateLabelSelector(matchSelector, selectorPath)];
}

/**
 * Returns every fault of a strategy; none for an absent one.
 *
 * @param path of the strategy, e.g. `spec.updateStrategy.rollingUpdate.priorityStrategy`
 */
export function validatePriorityStrategy(strategy: PriorityStrategy | undefined, path: string): readonly FieldError[] {
  const weights = strategy?.weightPriority ?? [];
  const orders = strategy?.orderPriority ?? [];
  const both =
    weights.length > 0 && orders.length > 0 ? [fieldRequired(path, 'only one of weightPriority and orderPriority can be used')] : [];
  const keys = orders.flatMap(({ orderedKey }, i) =>
    (orderedKey ?? '') === '' ? [fieldRequired(fieldPath(path, 'orderPriority', i, 'orderedKey'), 'order key can not be empty')] : [],
  );
  return [...both, ...weights.flatMap((term, i) => validateWeightTerm(term, fieldPath(path, 'weightPriority', i))), ...keys];
}

/** Returns every fault of a strategy. @param path of the strategy; see {@link validatePriorityStrategy} */
export function validateScatterStrategy(strategy: ScatterStrategy | undefined, path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return (strategy ?? []).flatMap((term, i) => {
    if ((term.key ?? '') === '') return [fieldRequired(fieldPath(path, i, 'key'), 'key can not be empty')];
    const id = JSON.stringify([term.key, term.value ?? '']);
    if (seen.has(id)) return [fieldDuplicate(fieldPath(path, i), term)];
    seen.add(id);
    return [];
  });
}

type Orders = { readonly priority: PriorityStrategy | undefined; readonly scatter: ScatterStrategy | undefined };

const lists = {
  'priorityStrategy.weightPriority': ({ priority }: Orders) => priority?.weightPriority?.length ?? 0,
  'priorityStrategy.orderPriority': ({ priority }: Orders) => priority?.orderPriority?.length ?? 0,
  scatterStrategy: ({ scatter }: Orders) => scatter?.length ?? 0,
} as const;

/**
 * Returns the faults of lists that are too long to be compared with every Pod. An update passes that adds nothing to what was stored before the
 * bound.
 *
 * @param path of the object that contains the strategies
 */
export function validateOrderSizes(orders: Orders, old: Orders | undefined, path: string): readonly FieldError[] {
  const most = workloadLimits.orderTerms.value;
  return Object.entries(lists).flatMap(([name, count]) => {
    const terms = count(orders);
    return terms > most && terms > (old === undefined ? 0 : count(old)) ? [fieldTooMany(fieldPath(path, name), terms, most)] : [];
  });
}
