/** Carries out the stages of a plan in memory, with the budgets as guards. */
import type { Instant, Pod } from '@kruise/objects';
import type { CheckedOperation, SimulatedBudgets } from './budgets.ts';

/** What guards look at in an action. */
export interface Planned {
  readonly kind: string;
  readonly pod?: Pod;
  readonly transition?: { readonly to: string };
}

/** What guards a stage. */
interface Guarding {
  readonly budgets: Pick<SimulatedBudgets, 'ask'>;
  readonly now: Instant;
}

/** A controller has an update admitted before it recreates a Pod, and the webhook admits the deletion. */
const operations: Readonly<Record<string, readonly CheckedOperation[]>> = {
  DeletePod: ['DELETE'],
  UpdatePodInPlace: ['UPDATE'],
  RecreatePod: ['UPDATE', 'DELETE'],
};

/** The operations that budgets are checked for, in this order; none for actions that they do not limit. */
const operationsOf = ({ kind, transition }: Planned): readonly CheckedOperation[] =>
  kind === 'SetLifecycle' && transition?.to === 'PreparingUpdate' ? ['UPDATE'] : (operations[kind] ?? []);

/** The name of the first budget that refuses the action. */
function refusalOf(action: Planned, { budgets, now }: Guarding): string | undefined {
  const { pod } = action;
  if (pod === undefined) return undefined;
  for (const operation of operationsOf(action)) {
    const budget = budgets.ask(pod, operation, now);
    if (budget !== undefined) return budget;
  }
  return undefined;
}

/** What became of the actions of a stage. */
interface StageOutcome<A> {
  readonly done: number;
  readonly refused: readonly A[];
  readonly refusedBy?: string;
}

/** One stage of a plan. */
export interface RunStage<A> {
  readonly actions: readonly A[];
  /** Whether the stage is skipped if the one before it has done anything. */
  readonly isAlternative?: boolean;
}

/** Carries out stages in order. */
export function runStages<A extends Planned>(
  stages: readonly RunStage<A>[],
  apply: (action: A) => void,
  guarding: Guarding,
): readonly StageOutcome<A>[] {
  const outcomes: StageOutcome<A>[] = [];
  for (const { actions, isAlternative } of stages) {
    const isSkipped = isAlternative === true && (outcomes.at(-1)?.done ?? 0) > 0;
    outcomes.push(runStage(isSkipped ? [] : actions, apply, guarding));
  }
  return outcomes;
}

/** Carries out actions in order; what a budget refuses delays no other. */
function runStage<A extends Planned>(actions: readonly A[], apply: (action: A) => void, guarding: Guarding): StageOutcome<A> {
  const refused: A[] = [];
  let refusedBy: string | undefined;
  let done = 0;
  for (const action of actions) {
    const budget = refusalOf(action, guarding);
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
