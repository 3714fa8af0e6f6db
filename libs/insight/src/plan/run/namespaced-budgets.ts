/** The PodUnavailableBudgets of all namespaces in which Pods of one rollout are. @see spec/podunavailablebudget.md 4.6 */
import type { Gates, PodUnavailableBudget } from '@kruise/api';
import { controllerOf, groupOf, type Instant, type Pod } from '@kruise/objects';
import type { Target } from '@kruise/workloads';
import type { AnyObject } from '../../seen.ts';
import { SimulatedBudgets } from './budgets.ts';

const namespaceOf = ({ metadata }: Pod): string => metadata.namespace ?? '';

/** A budget that names the workload of a Pod is for it; Pods of a Deployment have the annotation of their budget. */
function workloadsOf(pod: Pod): readonly Target[] {
  const owner = controllerOf(pod);
  return owner === undefined ? [] : [{ group: groupOf(owner.apiVersion), kind: owner.kind, name: owner.name }];
}

/** What the budgets depend on: budgets, and Pods that they may be for. */
interface BudgetObjects {
  readonly objects: readonly AnyObject[];
  readonly gates: Gates;
}

/** Answers for updates as the guard of the manager does. */
export class NamespacedBudgets {
  readonly #byNamespace: ReadonlyMap<string, SimulatedBudgets>;

  /** @param own the Pods of the rollout */
  constructor(own: readonly Pod[], { objects, gates }: BudgetObjects) {
    const ids = new Set(own.map(({ metadata }) => metadata.uid));
    const others = (objects.filter(({ kind }) => kind === 'Pod') as unknown as readonly Pod[]).filter(
      ({ metadata }) => !ids.has(metadata.uid),
    );
    const budgets = objects.filter(({ kind }) => kind === 'PodUnavailableBudget') as unknown as readonly PodUnavailableBudget[];
    const grouped = Map.groupBy(budgets, ({ metadata }) => metadata.namespace ?? '');
    this.#byNamespace = new Map(
      [...grouped].map(([namespace, list]) => [
        namespace,
        new SimulatedBudgets({
          budgets: list,
          others: others.filter((pod) => namespaceOf(pod) === namespace),
          workloadsOf,
          growth: 0,
          gates,
        }),
      ]),
    );
  }

  /** Counts the Pods after they have made progress. */
  observe(own: readonly Pod[], now: Instant): void {
    for (const [namespace, budgets] of this.#byNamespace)
      budgets.observe(
        own.filter((pod) => namespaceOf(pod) === namespace),
        now,
      );
  }

  /** Returns whether a budget would refuse the update of a Pod; charges nothing. */
  refusesUpdate(pod: Pod, now: Instant): boolean {
    return this.#byNamespace.get(namespaceOf(pod))?.refuses(pod, 'UPDATE', now) === true;
  }

  /** Requests the update of a Pod, and charges the budget. @returns the budget that refuses, as `namespace/name` */
  askUpdate(pod: Pod, now: Instant): string | undefined {
    const refusedBy = this.#byNamespace.get(namespaceOf(pod))?.ask(pod, 'UPDATE', now);
    return refusedBy === undefined ? undefined : `${namespaceOf(pod)}/${refusedBy}`;
  }
}
