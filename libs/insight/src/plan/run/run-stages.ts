/** Carries out the stages of a plan in memory, with the budgets as guards. */
import type { PubOperation } from '@kruise/api';
import type { Instant, Pod } from '@kruise/objects';
import type { SimulatedBudgets } from './budgets.ts';

/** What guards look at in an action. */
export interface Planned {
  readonly kind: string;
  readonly pod?: Pod;
  readonly transition?: { readonly to: string };
}

/** What guards a stage. */
interface Guarding {
  readonly budgets: SimulatedBudgets;
  readonly now: Instant;
}

/** Actions that take the first step of an update. */
const beginnings: ReadonlySet<string> = new Set(['UpdatePodInPlace', 'RecreatePod']);
const deletions: ReadonlySet<string> = new Set(['DeletePod']);

/** The operation that budgets are checked for; undefined for actions that they do not limit. */
function operationOf({ kind, transition }: Planned): PubOperation | undefined {
  if (deletions.has(kind)) return 'DELETE';
  return beginnings.has(kind) || (kind === 'SetLifecycle' && transition?.to === 'PreparingUpdate') ? 'UPDATE' : undefined;
}

/** What became of the actions of a stage. */
interface StageOutcome<A> {
  readonly done: number;
  readonly refused: readonly A[];
  readonly refusedBy?: string;
}

/** Carries out actions in order; what a budget refuses delays no other. */
export function runStage<A extends Planned>(
  actions: readonly A[],
  apply: (action: A) => void,
  { budgets, now }: Guarding,
): StageOutcome<A> {
  const refused: A[] = [];
  let refusedBy: string | undefined;
  let done = 0;
  for (const action of actions) {
    const operation = action.pod === undefined ? undefined : operationOf(action);
    const budget = operation === undefined || action.pod === undefined ? undefined : budgets.ask(action.pod, operation, now);
    if (budget === undefined) {
      apply(action);
      done++;
    } else {
      refused.push(action);
      refusedBy ??= budget;
    }
  }
  return { done, refused, ...(refusedBy === undefined ? {} : { refusedBy }) };
}

/** Sums up stages. */
export const sumOf = <A>(outcomes: readonly StageOutcome<A>[]): StageOutcome<A> => {
  const refusedBy = outcomes.find((one) => one.refusedBy !== undefined)?.refusedBy;
  return {
    done: outcomes.reduce((sum, { done }) => sum + done, 0),
    refused: outcomes.flatMap(({ refused }) => refused),
    ...(refusedBy === undefined ? {} : { refusedBy }),
  };
};
