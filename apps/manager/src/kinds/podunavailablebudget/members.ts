/**
 * Which Pods the selector of each budget selects, kept up with every event: a pass over a budget looks at its own Pods, however many others there are in
 * the namespace. Fed by the two stores that it reads.
 */
import type { PodUnavailableBudget } from '@kruise/api';
import type { StoreEvent, StoreReader } from '@kruise/kube';
import { deepEqual, formatKey, keyOf, type ObjectKey, type Pod } from '@kruise/objects';
import type { SelectionOf } from '@kruise/kinds/podunavailablebudget';

interface Stores {
  readonly budgets: StoreReader<PodUnavailableBudget>;
  readonly pods: StoreReader<Pod>;
}

/** An entry is there as long as its budget. */
export class BudgetMembers {
  readonly #stores: Stores;
  readonly #selectionOf: SelectionOf;
  /** Names of Pods, by budget. */
  readonly #members = new Map<string, Set<string>>();

  constructor(stores: Stores, selectionOf: SelectionOf) {
    this.#stores = stores;
    this.#selectionOf = selectionOf;
  }

  #selects(budget: PodUnavailableBudget, pod: Pod): boolean {
    const selection = this.#selectionOf(budget);
    return selection.kind === 'Selector' && selection.matcher.matches(pod.metadata.labels);
  }

  onBudget(event: StoreEvent<PodUnavailableBudget>): void {
    const { object } = event;
    const key = formatKey(keyOf(object));
    if (event.kind === 'Deleted') return void this.#members.delete(key);
    if (event.kind === 'Updated' && deepEqual(event.previous.spec.selector, object.spec.selector)) return;
    const { namespace = '' } = object.metadata;
    const selected = this.#stores.pods.list({ namespace }).filter((pod) => this.#selects(object, pod));
    this.#members.set(key, new Set(selected.map(({ metadata }) => metadata.name)));
  }

  onPod(event: StoreEvent<Pod>): void {
    const { object } = event;
    if (event.kind === 'Updated' && deepEqual(event.previous.metadata.labels, object.metadata.labels)) return;
    const { namespace = '', name } = object.metadata;
    for (const budget of this.#stores.budgets.list({ namespace })) {
      const members = this.#members.get(formatKey(keyOf(budget)));
      if (event.kind !== 'Deleted' && this.#selects(budget, object)) members?.add(name);
      else members?.delete(name);
    }
  }

  /** The Pods that the budget's selector selects. */
  podsOf(budget: ObjectKey): readonly Pod[] {
    const { namespace } = budget;
    return [...(this.#members.get(formatKey(budget)) ?? [])].flatMap((name) => this.#stores.pods.get({ namespace, name }) ?? []);
  }

  /** Budgets that are known. */
  get size(): number {
    return this.#members.size;
  }
}
