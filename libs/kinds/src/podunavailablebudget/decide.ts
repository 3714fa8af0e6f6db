/**
 * Whether an operation on a Pod may go on, as a list of rules of which the first that applies decides. Pure: the same question about the same copy of
 * the budget has the same answer, so that the ledger can ask again on a newer copy.
 * @see spec/podunavailablebudget.md 4.5
 */
import { protectedOperations, type PodUnavailableBudget, type PodUnavailableBudgetStatus, type PubOperation } from '@kruise/api';
import { admissionLimits, formatTime, labelMatcherOf, ownMember, parseTime, type Instant, type Pod } from '@kruise/objects';
import { entryLimits } from './kept.ts';
import { isExempt, relatedPubOf } from './related-pub.ts';

/** An operation on a Pod. */
export interface Question {
  /** As it is before. */
  readonly pod: Pod;
  readonly operation: PubOperation;
}

/** What the answer depends on besides the Pod and its budget. */
export interface DecisionContext {
  readonly now: Instant;
  /** Gate InPlacePodVerticalScaling. */
  readonly tellsResizes: boolean;
  readonly isAvailable: (pod: Pod) => boolean;
}

export type Verdict =
  | { readonly kind: 'Allow'; readonly because: string }
  /** `cause`: the numbers behind it. */
  | { readonly kind: 'Deny'; readonly why: string; readonly cause: string }
  /** The budget itself cannot be read. */
  | { readonly kind: 'Fault'; readonly why: string }
  /** May continue after this status is written on exactly the judged copy: it charges one Pod, or renews the record of an earlier admission. */
  | { readonly kind: 'Charge' | 'Renew'; readonly status: PodUnavailableBudgetStatus };

/** Words of denials, which programs look for. */
const denials = {
  exhausted: 'pub unavailable allowed is negative',
  tooMany: 'DisruptedPods and UnavailablePods map too big - too many unavailable not confirmed by PUB controller',
} as const;

/** So many admissions may be unconfirmed: more would make the object too large. */
export const mostEntries: number = admissionLimits.unconfirmedOfBudget.value;

const allow = (because: string): Verdict => ({ kind: 'Allow', because });

const emptyStatus: PodUnavailableBudgetStatus = { currentAvailable: 0, desiredAvailable: 0, totalReplicas: 0, unavailableAllowed: 0 };
const statusOf = ({ status }: PodUnavailableBudget): PodUnavailableBudgetStatus => status ?? emptyStatus;

/** Deletions and evictions take the Pod away; updates and resizes leave it. */
const mapOf = (operation: PubOperation): 'disruptedPods' | 'unavailablePods' =>
  operation === 'DELETE' || operation === 'EVICT' ? 'disruptedPods' : 'unavailablePods';

const withEntry = (
  status: PodUnavailableBudgetStatus,
  map: ReturnType<typeof mapOf>,
  name: string,
  now: Instant,
): PodUnavailableBudgetStatus => ({
  ...status,
  [map]: { ...status[map], [name]: formatTime(now) },
});

/** The record of an earlier admission of the Pod's name. */
function entryOf(
  status: PodUnavailableBudgetStatus,
  { metadata }: Pod,
): { readonly map: ReturnType<typeof mapOf>; readonly time: string } | undefined {
  const maps = ['disruptedPods', 'unavailablePods'] as const;
  const map = maps.find((one) => ownMember(status[one] ?? {}, metadata.name) !== undefined);
  return map === undefined ? undefined : { map, time: String(status[map]?.[metadata.name]) };
}

/**
 * Whether the record is surely of this Pod and still kept by the controller, however old the copy of the budget is: it is young, and younger than the
 * Pod. Half of the time for which it is kept is left for the write that follows.
 */
function isReliable(map: ReturnType<typeof mapOf>, time: string, pod: Pod, now: Instant): boolean {
  const [admitted, created] = [parseTime(time), parseTime(pod.metadata.creationTimestamp)];
  return (
    admitted !== undefined && admitted <= now && now - admitted < entryLimits[map] / 2 && (created === undefined || created <= admitted)
  );
}

/** Rules that need no budget. */
const ofPod: readonly ((question: Question, context: DecisionContext) => Verdict | undefined)[] = [
  ({ pod }) => (relatedPubOf(pod) === '' ? allow('the Pod has no budget') : undefined),
  ({ pod }) => (isExempt(pod) ? allow('the Pod is taken out of protection') : undefined),
  ({ pod }, { isAvailable }) => (isAvailable(pod) ? undefined : allow('the Pod is not available as it is')),
];

type BudgetRule = (budget: PodUnavailableBudget, question: Question, context: DecisionContext) => Verdict | undefined;

const ignoredRule: BudgetRule = ({ spec }, { pod }) => {
  const selector = spec.ignoredPodSelector;
  if (selector === undefined || selector === null) return undefined;
  const parsed = labelMatcherOf(selector);
  if (parsed.kind === 'Illegal') return { kind: 'Fault', why: `spec.ignoredPodSelector${parsed.why}` };
  return parsed.matcher.matches(pod.metadata.labels) ? allow('the budget ignores the Pod') : undefined;
};

const admittedRule: BudgetRule = (budget, { pod }, { now }) => {
  const status = statusOf(budget);
  const entry = entryOf(status, pod);
  if (entry === undefined) return undefined;
  const { map, time } = entry;
  return isReliable(map, time, pod, now)
    ? allow('the Pod has been admitted already')
    : { kind: 'Renew', status: withEntry(status, map, pod.metadata.name, now) };
};

/** What a budget that lets none go has and needs. Pods that were let go count until the controller has seen them go. */
function shortageOf(budget: PodUnavailableBudget): string {
  const { desiredAvailable, currentAvailable } = statusOf(budget);
  const letGo = currentAvailable - desiredAvailable;
  const those = letGo > 0 ? `, of which ${letGo} may go already` : '';
  return `The budget ${budget.metadata.name} needs ${desiredAvailable} to be available and has ${currentAvailable}${those}`;
}

const chargeRule: BudgetRule = (budget, { pod, operation }, { now }) => {
  const status = statusOf(budget);
  const { unavailableAllowed, disruptedPods = {}, unavailablePods = {} } = status;
  if (unavailableAllowed <= 0) return { kind: 'Deny', why: denials.exhausted, cause: shortageOf(budget) };
  const entries = Object.keys(disruptedPods).length + Object.keys(unavailablePods).length;
  if (entries > mostEntries) {
    const cause = `The budget ${budget.metadata.name} has allowed disruptions of ${entries} Pods that its controller has not observed yet`;
    return { kind: 'Deny', why: denials.tooMany, cause };
  }
  const charged = { ...status, unavailableAllowed: unavailableAllowed - 1 };
  return { kind: 'Charge', status: withEntry(charged, mapOf(operation), pod.metadata.name, now) };
};

/** Rules about one copy of the budget; the last always applies. */
const ofBudget: readonly BudgetRule[] = [
  ignoredRule,
  (budget) => (statusOf(budget).desiredAvailable === 0 ? allow('no Pod has to be available') : undefined),
  (budget, { operation }, { tellsResizes }) =>
    protectedOperations(budget, tellsResizes).has(operation) ? undefined : allow(`the budget does not protect from ${operation}`),
  admittedRule,
  chargeRule,
];

/** What can be said without looking at the budget; undefined when its copy decides. */
export function decideByPod(question: Question, context: DecisionContext): Verdict | undefined {
  for (const rule of ofPod) {
    const verdict = rule(question, context);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** What one copy of the budget says; one that does not exist (any more) protects nothing. */
export function decideByBudget(budget: PodUnavailableBudget | undefined, question: Question, context: DecisionContext): Verdict {
  if (budget === undefined) return allow('the budget does not exist');
  for (const rule of ofBudget) {
    const verdict = rule(budget, question, context);
    if (verdict !== undefined) return verdict;
  }
  throw new Error('the last rule has no answer');
}
