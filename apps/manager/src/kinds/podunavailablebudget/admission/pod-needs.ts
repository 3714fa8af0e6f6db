/**
 * Which operations on Pods the API server has to ask about: those on Pods that name a budget, in namespaces that have one. When no manager answers, all
 * others go on, and the first word of the webhook's name is what a user reads of the rest: the budget, as long as there are few. Pure.
 */
import type { RequestNeed } from '@kruise/admission';
import { podUnavailableBudgetAnnotations as names, podUnavailableBudgetLabels, type PodUnavailableBudget } from '@kruise/api';
import { sortUtf8 } from '@kruise/objects';
import { inNamespaces } from '../../../workloads/owner-needs.ts';

type Budget = Pick<PodUnavailableBudget, 'metadata'>;

/** The number of budgets that get a webhook of their own; the API server evaluates each webhook for every operation. */
const mostNamed = 8;
const general = 'podunavailablebudget';

const namespaceOf = ({ metadata }: Budget): string => metadata.namespace ?? 'default';
const nameOf = ({ metadata }: Budget): string => metadata.name;

/** A label of a DNS name. */
const reasonOf = (budget: string): string => `budget-${budget.replaceAll(/[^a-z0-9-]/g, '-').slice(0, 34)}`.replace(/-+$/, '');

const annotations = 'oldObject.metadata.annotations';
const keys = `["${names.relatedPub}", "${names.legacyRelatedPub}"]`;

/** Names of objects need no quotes inside of quotes. */
const isBudget = (budget: string | undefined): string => (budget === undefined ? '!= ""' : `== "${budget}"`);

const namesBudget = (budget: string | undefined): string =>
  `has(${annotations}) && ${keys}.exists(k, k in ${annotations} && ${annotations}[k] ${isBudget(budget)})`;

/** A terminating Pod is neither available nor protected. */
const stays = '!has(oldObject.metadata.deletionTimestamp)';

const changesSpec = 'object.spec != oldObject.spec';
const hasLabel = `has(object.metadata.labels) && object.metadata.labels.exists(k, k.startsWith("${podUnavailableBudgetLabels.unavailablePodPrefix}"))`;

function needsWhere(budgets: readonly Budget[], condition: string): readonly RequestNeed[] {
  const distinct = sortUtf8([...new Set(budgets.map(nameOf))]);
  if (distinct.length > mostNamed || distinct.some((name) => /["\\]/.test(name)))
    return [{ reason: general, condition: `${condition} && ${namesBudget(undefined)}`, ...inNamespaces(budgets.map(namespaceOf)) }];
  return distinct.map((name) => ({
    reason: reasonOf(name),
    condition: `${condition} && ${namesBudget(name)}`,
    ...inNamespaces(budgets.filter((budget) => nameOf(budget) === name).map(namespaceOf)),
  }));
}

/** Deletions of Pods that name one of the budgets. */
export const goingNeeds = (budgets: readonly Budget[]): readonly RequestNeed[] =>
  needsWhere(budgets, `request.operation == "DELETE" && ${stays}`);

/** Updates and resizes of such Pods that change more than metadata, or take one out of service by a label. */
export const updateNeeds = (budgets: readonly Budget[]): readonly RequestNeed[] =>
  needsWhere(budgets, `request.operation == "UPDATE" && ${stays} && (${changesSpec} || (${hasLabel}))`);

/** An eviction names its Pod only: all of a namespace with budgets are asked about, under the name of the budget where it has one. */
export function evictionNeeds(budgets: readonly Budget[]): readonly RequestNeed[] {
  const byNamespace = Map.groupBy(budgets, namespaceOf);
  const tooMany = new Set(budgets.map(nameOf)).size > mostNamed;
  const reasons = [...byNamespace].map(([namespace, those]) => {
    const [only, ...others] = those.map(nameOf);
    return { namespace, reason: tooMany || only === undefined || others.length > 0 ? general : reasonOf(only) };
  });
  return [...Map.groupBy(reasons, ({ reason }) => reason)].map(([reason, those]) => ({
    reason,
    ...inNamespaces(those.map(({ namespace }) => namespace)),
  }));
}
