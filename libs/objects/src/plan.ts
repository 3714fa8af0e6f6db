/** A plan as data: what a pure rule decides about one pass, and what came of it. The runner of `@kruise/kube` carries it out. */

/** One action at the API server. It may be carried out twice, and the process may die after it. */
export interface PlannedAction {
  readonly kind: string;
  /** The reason, in words with the numbers, for the log. */
  readonly because: string;
}

/** What a failure of an action means for the rest. */
type OnFailure =
  /** Begins no further action of the plan. */
  | 'Stop'
  /** Begins no further action of the stage. Later stages run. */
  | 'EndStage'
  /** Tries all others: they do not depend on each other. */
  | 'Collect'
  /** As `Collect`, and the failure is only logged: the next pass plans the same again. */
  | 'Log';

/** Which actions of a stage run in parallel. */
type Pace =
  /** None. */
  | 'InTurn'
  /** Neighbours of one kind, up to 32 at a time. The next kind begins when they have ended. */
  | 'ByKind'
  /** Any, up to 32 at a time. */
  | 'AtOnce';

/** Actions that belong together: their pace, and what a failure means for the following stages. */
export interface Stage<A extends PlannedAction> {
  readonly name: string;
  readonly actions: readonly A[];
  /** Names of stages. Once one of them wrote something, this stage is left to the next pass, which sees the result. */
  readonly unless?: readonly string[];
  /** Names of stages. Once an action of one of them has failed, this stage is left to the next pass. */
  readonly needs?: readonly string[];
  readonly onFailure: OnFailure;
  /** `InTurn` when absent. */
  readonly pace?: Pace;
  /**
   * Kinds that start slowly, 1, 2, 4, … at a time, with pace `ByKind`: what a quota refuses once, it refuses for all. A failure that concerns one
   * object only (a conflict, a name in use, what `concernsOneObject` of the controller names) slows nothing down until ten objects
   * have failed. After that, a rule that refuses all of them is more likely.
   */
  readonly slowly?: readonly A['kind'][];
  /** The guard that is asked before actions begin. */
  readonly guard?: Guard<A>;
  /** How many actions may succeed in one pass; the next pass plans the others again. Failed actions do not count. Unlimited when absent. */
  readonly burst?: number;
}

/** Allows or refuses actions of a stage. */
export interface Guard<A extends PlannedAction> {
  readonly concerns: (action: A) => boolean;
  /**
   * Asks about one action after the other, in order, because each answer may use up what is left. A refused action does not begin. After ten refusals the guard is no longer asked, and nothing else that concerns it begins in this pass.
   *
   * @returns why not, in words; undefined when it may begin
   * @throws what keeps the guard from answering: it is not asked again in this pass, and what it has not allowed does not begin
   */
  readonly ask: (action: A, signal: AbortSignal) => Promise<string | undefined>;
}

/** An action that was begun and the error that it threw. */
export interface Failed<A extends PlannedAction> {
  readonly action: A;
  readonly error: Error;
}

/** An action that a guard refused, and why. */
export interface Refused<A extends PlannedAction> {
  readonly action: A;
  readonly why: string;
}

/** The result of one stage. Actions that were not begun are in none of its fields except `left`. */
export interface StageResult<A extends PlannedAction> {
  /** Number of completed actions. */
  readonly done: number;
  /** Number of actions that completed, or failed after they had written something. */
  readonly wrote: number;
  /** In the order in which they occurred. */
  readonly failures: readonly Failed<A>[];
  /** The first refused action, and why. */
  readonly refused?: Refused<A>;
  /** All refused actions, in order. */
  readonly allRefused: readonly A[];
  /** The most specific error: a conflict only when there is no other. Includes what kept a guard from answering. */
  readonly error?: Error;
  /** Whether actions were not begun because `burst` was used up. */
  readonly isCut?: true;
  /** Actions that no guard refused and that were still not begun: `burst` was used up, or the stage ended. None when absent. */
  readonly left?: readonly A[];
}

/** The result of one pass over a plan. */
export interface PlanResult<A extends PlannedAction> {
  /** By the name of each stage that was begun. */
  readonly stages: ReadonlyMap<string, StageResult<A>>;
  /** The stage whose failure ended the pass. */
  readonly stoppedAt?: string;
  /** The most specific error of all stages except those that only log: a conflict only when there is no other. */
  readonly error?: Error;
}
