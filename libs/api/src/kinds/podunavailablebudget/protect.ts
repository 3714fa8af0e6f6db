/** What a PodUnavailableBudget protects from, and the number of Pods that it counts: members first, then the annotations of older ones. */
import { isJsonObject, memberAt, metadataValue, parseInt32, splitWords, type JsonObject } from '@kruise/objects';
import { podUnavailableBudgetAnnotations } from './names.ts';
import { pubOperations, type PodUnavailableBudget, type PubOperation } from './schema.ts';

const whenUnset: readonly PubOperation[] = ['DELETE', 'UPDATE', 'EVICT'];

const operationsIn = (words: readonly unknown[]): readonly PubOperation[] => pubOperations.filter((operation) => words.includes(operation));

const asJson = (budget: PodUnavailableBudget): JsonObject => ({ ...budget });

function listedOperations(budget: PodUnavailableBudget): readonly PubOperation[] {
  const listed = memberAt(budget, 'spec', 'protectOperations');
  if (Array.isArray(listed) && listed.length > 0) return operationsIn(listed);
  const words = splitWords(metadataValue(asJson(budget), 'annotations', podUnavailableBudgetAnnotations.protectOperations) ?? '');
  return words.length > 0 ? operationsIn(words) : whenUnset;
}

/**
 * Returns the operations that the budget is asked about.
 *
 * @param tellsResizes gate InPlacePodVerticalScaling; without it a resize is an update
 * @remarks Unknown operations are ignored, also when there are no others.
 * @see spec/podunavailablebudget.md 2.3
 */
export function protectedOperations(budget: PodUnavailableBudget, tellsResizes: boolean): ReadonlySet<PubOperation> {
  const listed = listedOperations(budget);
  return new Set(!tellsResizes && listed.includes('UPDATE') ? [...listed, 'RESIZE' as const] : listed);
}

/** Returns the number of Pods that replaces the computed total; undefined when none is given. @see spec/podunavailablebudget.md 2.3 */
export function protectedTotal(budget: PodUnavailableBudget): number | undefined {
  const member = isJsonObject(budget.spec) ? budget.spec['protectTotalReplicas'] : undefined;
  const text = metadataValue(asJson(budget), 'annotations', podUnavailableBudgetAnnotations.protectTotalReplicas) ?? '';
  const total = typeof member === 'number' ? member : parseInt32(text);
  return total !== undefined && Number.isInteger(total) && total >= 1 ? total : undefined;
}
