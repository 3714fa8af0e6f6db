/** The PodUnavailableBudgets that limit a rollout, while it is carried out in memory. @see spec/podunavailablebudget.md 4.5 */
import type { Gates, PodUnavailableBudget, PubOperation } from '@kruise/api';
import { isPodActive, milliseconds, type Instant, type Pod } from '@kruise/objects';
import {
  availability,
  decideByBudget,
  decideByPod,
  isFor,
  planStatus,
  relatedPubOf,
  selections,
  withRelatedPub,
  type DecisionContext,
  type Verdict,
} from '@kruise/kinds/podunavailablebudget';
import type { Target } from '@kruise/workloads';

/** What the budgets depend on. */
export interface BudgetFacts {
  readonly budgets: readonly PodUnavailableBudget[];
  /** Pods of other workloads, which the same budgets may be for. */
  readonly others: readonly Pod[];
  /** The workloads of a Pod of the rollout, which a budget may name. */
  readonly workloadsOf: (pod: Pod) => readonly Target[];
  /** How many Pods more than now the workload is to have; less than 0 if fewer. */
  readonly growth: number;
  readonly gates: Gates;
}

/** The operations by which a rollout makes Pods unavailable. */
export type CheckedOperation = Extract<PubOperation, 'UPDATE' | 'DELETE'>;

const isRefusal = ({ kind }: Verdict): boolean => kind === 'Deny' || kind === 'Fault';

/** Answers as the webhook and the update guard would. */
export class SimulatedBudgets {
  readonly #facts: BudgetFacts;
  readonly #isAvailable: (pod: Pod) => boolean;
  readonly #selectionOf = selections();
  readonly #held = new Map<string, PodUnavailableBudget>();
  /** How many Pods a budget without a status was for before the rollout: a surge does not add to them. */
  readonly #firstTotals = new Map<string, number>();

  constructor(facts: BudgetFacts) {
    this.#facts = facts;
    this.#isAvailable = availability(facts.gates);
    for (const budget of facts.budgets) this.#held.set(budget.metadata.name, budget);
  }

  #isFor(budget: PodUnavailableBudget, pod: Pod, isOwn: boolean): boolean {
    const named = relatedPubOf(pod);
    if (named !== '') return named === budget.metadata.name;
    return isFor(this.#selectionOf(budget), pod, isOwn ? this.#facts.workloadsOf(pod) : []);
  }

  #firstTotal({ metadata: { name } }: PodUnavailableBudget, pods: readonly Pod[]): number {
    const total = this.#firstTotals.get(name) ?? pods.length;
    this.#firstTotals.set(name, total);
    return total;
  }

  /** Counts the Pods as the budgets' controller does after the Pods have made progress. */
  observe(own: readonly Pod[], now: Instant): void {
    const { others, growth } = this.#facts;
    for (const budget of this.#facts.budgets) {
      const mine = own.filter((pod) => this.#isFor(budget, pod, true));
      const pods = [...mine, ...others.filter((pod) => this.#isFor(budget, pod, false))].filter(isPodActive);
      const total = (budget.status?.totalReplicas ?? this.#firstTotal(budget, pods)) + (mine.length > 0 ? growth : 0);
      const seen = {
        pods: new Map(pods.map((pod) => [pod.metadata.name, pod])),
        workloads: [],
        totalOverride: total,
        isWatched: true,
        isProtected: () => true,
      };
      const signs = { ageOf: () => milliseconds(0), isBehind: () => false, live: new Map<string, Pod>(), isAvailable: this.#isAvailable };
      const { status: _former, ...fresh } = budget;
      this.#held.set(budget.metadata.name, { ...fresh, status: planStatus(fresh, seen, signs, now).status });
    }
  }

  /** Budgets check an operation only with its gate. @see spec/podunavailablebudget.md 1 */
  #isChecked(operation: CheckedOperation): boolean {
    const { PodUnavailableBudgetDeleteGate, PodUnavailableBudgetUpdateGate } = this.#facts.gates;
    return operation === 'UPDATE' ? PodUnavailableBudgetUpdateGate : PodUnavailableBudgetDeleteGate;
  }

  #decide(
    pod: Pod,
    operation: CheckedOperation,
    now: Instant,
  ): { readonly budget: PodUnavailableBudget; readonly verdict: Verdict } | undefined {
    if (!this.#isChecked(operation)) return undefined;
    const budget = [...this.#held.values()].find((one) => this.#isFor(one, pod, true));
    if (budget === undefined) return undefined;
    const question = { pod: withRelatedPub(pod, budget.metadata.name), operation };
    const context: DecisionContext = { now, tellsResizes: false, isAvailable: () => this.#isAvailable(pod) };
    return { budget, verdict: decideByPod(question, context) ?? decideByBudget(budget, question, context) };
  }

  /** Returns whether a budget would refuse the operation; charges nothing. */
  refuses(pod: Pod, operation: CheckedOperation, now: Instant): boolean {
    const decided = this.#decide(pod, operation, now);
    return decided !== undefined && isRefusal(decided.verdict);
  }

  /** Requests one operation on a Pod, and charges the budget. @returns the name of the budget that refuses */
  ask(pod: Pod, operation: CheckedOperation, now: Instant): string | undefined {
    const decided = this.#decide(pod, operation, now);
    if (decided === undefined) return undefined;
    const { budget, verdict } = decided;
    const { name } = budget.metadata;
    if (verdict.kind === 'Charge' || verdict.kind === 'Renew') this.#held.set(name, { ...budget, status: verdict.status });
    return isRefusal(verdict) ? name : undefined;
  }
}
