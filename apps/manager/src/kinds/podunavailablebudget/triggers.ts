/** The objects that an event enqueues. Pure. @see spec/podunavailablebudget.md 5.1 */
import type { PodUnavailableBudget } from '@kruise/api';
import { distinctKeys, gathered, gatheringOf, statesOf, type Request, type StoreEvent } from '@kruise/kube';
import { deepEqual, isPodActive, keyOf, memberAt, milliseconds, seconds, type KubeObject, type ObjectKey, type Pod } from '@kruise/objects';
import { type GroupKind, targetText, type Target } from '@kruise/workloads';
import { type IsAvailable, entriesOf, relatedPubOf, type SelectionOf } from '@kruise/kinds/podunavailablebudget';

/** What is asked of the budgets of a namespace. */
export interface Budgets {
  readonly in: (namespace: string) => readonly PodUnavailableBudget[];
  /** Whether the budget is for the Pod, as far as is known. */
  readonly isFor: (budget: PodUnavailableBudget, pod: Pod) => boolean;
  /** Whether Pods may be its own that neither name it nor show that it is for them. */
  readonly findsBySelector: (budget: PodUnavailableBudget) => boolean;
  readonly selectionOf: SelectionOf;
  readonly isAvailable: IsAvailable;
}

/** A Pod that was admitted to go is out of the numbers already: what is left is to see it go. */
const afterAdmission = seconds(5);
/** Charges come one after the other, and each says all that has to be known at once. */
const afterCharge = milliseconds(100);

/** The budget itself: immediately after a change of its spec, and a little later after a charge. */
export const requestsOfBudget = (event: StoreEvent<PodUnavailableBudget>): readonly Request[] => {
  const key = keyOf(event.object);
  const isCharge = event.kind === 'Updated' && event.previous.metadata.generation === event.object.metadata.generation;
  const isSame = isCharge && deepEqual(event.previous.metadata.annotations, event.object.metadata.annotations);
  return isSame ? [{ key, after: afterCharge }] : [key];
};

/** Budgets that are for the Pod in one of its states, or that it names; of a Pod that names none, those that have to look whether it is theirs. */
function concerned(states: readonly Pod[], { in: budgetsIn, isFor, findsBySelector }: Budgets): readonly PodUnavailableBudget[] {
  const names = new Set(states.map(relatedPubOf));
  return budgetsIn(states[0]?.metadata.namespace ?? '').filter(
    (budget) => names.has(budget.metadata.name) || states.some((pod) => isFor(budget, pod)) || (names.has('') && findsBySelector(budget)),
  );
}

/** What a budget reads of a Pod. */
const signsOf = (pod: Pod, isAvailable: IsAvailable): readonly unknown[] => [
  isPodActive(pod),
  isAvailable(pod),
  pod.metadata.labels,
  relatedPubOf(pod),
];

const isRecorded = ({ status }: PodUnavailableBudget, { metadata }: Pod): boolean =>
  entriesOf(status).some(({ pod }) => pod === metadata.name);

/** Whether the event means that the Pod becomes inactive or is deleted. */
const goes = (event: StoreEvent<Pod>): boolean =>
  event.kind === 'Deleted'
    ? isPodActive(event.object)
    : event.kind === 'Updated' && isPodActive(event.previous) && !isPodActive(event.object);

/** Whether the event is irrelevant: it has no news, or the Pod was already terminating. */
function isIdle(event: StoreEvent<Pod>, isAvailable: IsAvailable): boolean {
  if (event.kind === 'Added') return !isPodActive(event.object);
  if (event.kind === 'Deleted') return !isPodActive(event.object);
  const { previous, object } = event;
  if (previous.metadata.deletionTimestamp !== undefined) return true;
  return deepEqual(signsOf(previous, isAvailable), signsOf(object, isAvailable));
}

export function requestsOfPod(event: StoreEvent<Pod>, budgets: Budgets, membersOf: (budget: ObjectKey) => number): readonly Request[] {
  if (isIdle(event, budgets.isAvailable)) return [];
  const leaves = goes(event);
  return concerned(statesOf(event), budgets).flatMap((budget) => {
    const key = keyOf(budget);
    return gathered([key], leaves && isRecorded(budget, event.object) ? afterAdmission : gatheringOf(membersOf(key)));
  });
}

/** What a budget reads of a workload of its Pods. */
const numbersOf = (workload: KubeObject): readonly unknown[] => [
  memberAt(workload, 'spec', 'replicas'),
  memberAt(workload, 'status', 'desiredNumberScheduled'),
  workload.metadata.deletionTimestamp === undefined,
];

const templateLabels = (workload: KubeObject): Readonly<Record<string, string>> =>
  (memberAt(workload, 'spec', 'template', 'metadata', 'labels') ?? {}) as Readonly<Record<string, string>>;

/** Those that name the workload, or select the Pods that it makes. */
export function requestsOfWorkload(
  event: StoreEvent<KubeObject>,
  kind: GroupKind,
  { in: budgetsIn, selectionOf }: Budgets,
): readonly ObjectKey[] {
  const { object } = event;
  if (event.kind === 'Updated' && deepEqual(numbersOf(event.previous), numbersOf(object))) return [];
  const target: Target = { ...kind, name: object.metadata.name };
  const isMeant = (budget: PodUnavailableBudget): boolean => {
    const selection = selectionOf(budget);
    if (selection.kind === 'Target') return targetText(selection.target) === targetText(target);
    return selection.kind === 'Selector' && selection.matcher.matches(templateLabels(object));
  };
  return distinctKeys(
    budgetsIn(object.metadata.namespace ?? '')
      .filter(isMeant)
      .map(keyOf),
  );
}
