/**
 * Carries out a plan: stages one after the other, each with a rule for failures. The plan is data and contains every decision. This file only runs,
 * logs and counts actions, in the same way for all controllers.
 *
 *   stage -> [skipped: one of `unless` wrote something, or one of `needs` failed] -> guard -> actions (in turn | by kind | at once) -> next stage | stop
 */
import { isFailure } from '../api-error.ts';
import { inParallel } from '../in-parallel.ts';
import type { Logger } from '../logger.ts';
import { afterFailure, asError, settled, type Outcome } from '../outcome.ts';
import { slowStart } from './slow-start.ts';

/** One action at the API server. It may be carried out twice, and the process may die after it. */
export interface PlannedAction {
  readonly kind: string;
  /** The reason, in words with the numbers, for the log. */
  readonly because: string;
}

/** What a failure of an action means for the rest. */
export type OnFailure =
  /** Begins no further action of the plan. */
  | 'Stop'
  /** Begins no further action of the stage. Later stages run. */
  | 'EndStage'
  /** Tries all others: they do not depend on each other. */
  | 'Collect'
  /** As `Collect`, and the failure is only logged: the next pass plans the same again. */
  | 'Log';

/** Which actions of a stage run in parallel. */
export type Pace =
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
   * object only (a conflict, a name in use, what {@link PlanTools.concernsOneObject} names) slows nothing down until {@link mostPassedOver} objects
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
   * Asks about one action after the other, in order, because each answer may use up what is left. A refused action does not begin. After {@link
   * mostRefusals} refusals the guard is not asked any more, and nothing else that concerns it begins in this pass.
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

/** What carries out the actions of a plan. */
export interface PlanTools<A extends PlannedAction> {
  /**
   * Carries out one action. Throws what the API server refused.
   *
   * @param onWrite must be called for each write that took effect or may have, as {@link witnessedClient} does; needed where an action makes several
   * writes and a later stage has an `unless`
   */
  readonly execute: (action: A, signal: AbortSignal, onWrite: () => void) => Promise<unknown>;
  /**
   * Returns whether a failure says nothing about other objects, unlike that of a policy. A conflict and a name in use always concern one object. None
   * when absent.
   */
  readonly concernsOneObject?: (error: Error) => boolean;
  readonly logger: Logger;
  /** Log fields that name the object of the plan: `{ cloneSet: 'ns/name' }`. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** Maximum of parallel writes for one object. The API server's own limits do the rest. */
const parallelWrites = 32;

/** Maximum of refusals of a guard in one pass over a stage: objects of one budget are refused alike, and each question costs a call. */
const mostRefusals = 10;

/** Maximum of failures in one slow start that concern one object each. The batch with a further one is the last. */
const mostPassedOver = 10;

const isConflict = (error: Error): boolean => isFailure(error, 'Conflict');

/** Returns the most specific of several failures: a conflict only when there is no other. */
export const mostTelling = (errors: readonly Error[]): Error | undefined => errors.find((error) => !isConflict(error)) ?? errors[0];

/** Returns whether a failure does not affect the other actions of a group. */
const concernsOneObject = (error: Error): boolean => isFailure(error, 'Conflict', 'AlreadyExists');

/** Returns whether the other actions would fail as well: the server does not answer, or the process ends. */
const endsAll = (error: Error, signal: AbortSignal): boolean => signal.aborted || isFailure(error, 'Unreachable', 'Aborted');

/** Returns the actions of a stage in groups that run together. */
function groupsOf<A extends PlannedAction>({ actions, pace = 'InTurn' }: Stage<A>): readonly (readonly A[])[] {
  if (pace === 'AtOnce') return actions.length === 0 ? [] : [actions];
  const groups: A[][] = [];
  for (const action of actions) {
    const last = groups.at(-1);
    if (pace === 'ByKind' && last?.[0]?.kind === action.kind) last.push(action);
    else groups.push([action]);
  }
  return groups;
}

/** The actions of a stage that a guard admitted. */
interface Admitted<A extends PlannedAction> {
  readonly actions: readonly A[];
  readonly refused: readonly Refused<A>[];
  /** What kept the guard from answering. */
  readonly error?: Error;
}

/** One stage while it runs. */
class StageRun<A extends PlannedAction> {
  readonly #stage: Stage<A>;
  readonly #tools: PlanTools<A>;
  readonly #signal: AbortSignal;
  readonly #failures: Failed<A>[] = [];
  readonly #tried = new Set<A>();
  #done = 0;
  #wrote = 0;
  #passedOver = 0;
  #ended = false;
  #isCut = false;

  constructor(stage: Stage<A>, tools: PlanTools<A>, signal: AbortSignal) {
    this.#stage = stage;
    this.#tools = tools;
    this.#signal = signal;
  }

  async run(): Promise<StageResult<A>> {
    const admitted = await this.#admit();
    for (const group of groupsOf({ ...this.#stage, actions: admitted.actions })) if (!this.#ended) await this.#runGroup(group);
    const error = mostTelling([...(admitted.error === undefined ? [] : [admitted.error]), ...this.#failures.map((failed) => failed.error)]);
    const [refused] = admitted.refused;
    const left = admitted.actions.filter((action) => !this.#tried.has(action));
    return {
      done: this.#done,
      wrote: this.#wrote,
      failures: this.#failures,
      allRefused: admitted.refused.map(({ action }) => action),
      ...(refused === undefined ? {} : { refused }),
      ...(error === undefined ? {} : { error }),
      ...(this.#isCut ? { isCut: true } : {}),
      ...(left.length > 0 ? { left } : {}),
    };
  }

  /** Returns whether as many actions as may succeed have done so, or still may. */
  #isUsedUp(begun: number): boolean {
    const isUsedUp = begun >= (this.#stage.burst ?? Infinity);
    if (isUsedUp) this.#isCut = true;
    return isUsedUp;
  }

  /** Asks the guard. Actions that concern no guard are admitted whatever it answers. */
  async #admit(): Promise<Admitted<A>> {
    const { guard, actions } = this.#stage;
    if (guard === undefined) return { actions, refused: [] };
    const admitted: A[] = [];
    const refused: Refused<A>[] = [];
    let error: Error | undefined;
    for (const action of actions) {
      // What a guard allows uses up what is left for others: it is asked for no more than is begun.
      if (this.#isUsedUp(admitted.length)) break;
      const isAsked = guard.concerns(action);
      if (isAsked && (error !== undefined || refused.length >= mostRefusals)) continue;
      const answer = isAsked ? await guard.ask(action, this.#signal).catch(asError) : undefined;
      if (answer === undefined) admitted.push(action);
      else if (answer instanceof Error) error = answer;
      else refused.push({ action, why: answer });
    }
    return { actions: admitted, refused, ...(error === undefined ? {} : { error }) };
  }

  /** Runs a group. A failure that concerns one object says nothing about the others of its group: they continue, and it ends the stage afterwards. */
  async #runGroup(group: readonly A[]): Promise<void> {
    const { slowly = [], onFailure } = this.#stage;
    const before = this.#failures.length;
    if (slowly.includes(group[0]?.kind ?? '')) {
      await slowStart(group.length, (index) => this.#attemptSlowly(group[index] as A), this.#signal);
    } else {
      await inParallel(group, parallelWrites, async (action) => {
        if (!this.#ended) await this.#attempt(action);
      });
    }
    if (this.#failures.length > before && (onFailure === 'Stop' || onFailure === 'EndStage')) this.#ended = true;
  }

  /** Attempts an action. @throws what ends the slow start */
  async #attemptSlowly(action: A): Promise<void> {
    const error = await this.#attempt(action, this.#tools.concernsOneObject);
    if (error === undefined) return;
    const isPassedOver = concernsOneObject(error) || this.#tools.concernsOneObject?.(error) === true;
    if (!isPassedOver || ++this.#passedOver > mostPassedOver) throw error;
  }

  /**
   * Attempts an action.
   *
   * @param isTolerated failures that do not end the stage, besides those that never do
   * @returns why the action failed, if it did
   */
  async #attempt(action: A, isTolerated?: (error: Error) => boolean): Promise<Error | undefined> {
    const { execute, logger, about } = this.#tools;
    const { name, onFailure } = this.#stage;
    const { kind, because } = action;
    if (this.#isUsedUp(this.#tried.size - this.#failures.length)) return undefined;
    this.#tried.add(action);
    let hasWritten = false;
    try {
      logger.info({ ...about, stage: name, action: kind, because }, 'Carrying out the plan');
      await execute(action, this.#signal, () => (hasWritten = true));
      this.#done++;
      this.#wrote++;
      return undefined;
    } catch (thrown) {
      if (hasWritten) this.#wrote++;
      const error = asError(thrown);
      this.#failures.push({ action, error });
      const tolerates = onFailure === 'Collect' || onFailure === 'Log' || concernsOneObject(error) || isTolerated?.(error) === true;
      if (!tolerates || endsAll(error, this.#signal)) this.#ended = true;
      if (onFailure === 'Log' && !isConflict(error))
        logger.warn({ ...about, stage: name, action: kind, error }, 'Best-effort action failed');
      return error;
    }
  }
}

/**
 * Runs the stages of a plan in order. Never throws: failures are in the result.
 *
 * @param signal aborts the calls; nothing new begins once it is aborted
 */
export async function runPlan<A extends PlannedAction>(
  stages: readonly Stage<A>[],
  tools: PlanTools<A>,
  signal: AbortSignal,
): Promise<PlanResult<A>> {
  const results = new Map<string, StageResult<A>>();
  const errors: Error[] = [];
  for (const stage of stages) {
    const { unless = [], needs = [] } = stage;
    const hasWritten = unless.some((name) => (results.get(name)?.wrote ?? 0) > 0);
    const hasFailed = needs.some((name) => (results.get(name)?.failures.length ?? 0) > 0);
    if (hasWritten || hasFailed || signal.aborted) continue;
    const result = await new StageRun(stage, tools, signal).run();
    results.set(stage.name, result);
    if (result.error === undefined || stage.onFailure === 'Log') continue;
    errors.push(result.error);
    if (stage.onFailure === 'Stop') return { stages: results, stoppedAt: stage.name, error: mostTelling(errors) ?? result.error };
  }
  const error = mostTelling(errors);
  return { stages: results, ...(error === undefined ? {} : { error }) };
}

/** Returns the outcome of a pass with this result; `otherwise` when nothing failed. */
export const outcomeOf = ({ error }: Pick<PlanResult<PlannedAction>, 'error'>, otherwise: Outcome = settled): Outcome =>
  error === undefined ? otherwise : afterFailure(error);

/** Returns whether a stage left actions to the next pass because its `burst` was used up. */
export const isCut = ({ stages }: Pick<PlanResult<PlannedAction>, 'stages'>): boolean =>
  [...stages.values()].some((stage) => stage.isCut === true);
