/**
 * Carries out a plan: stages one after the other, each with a rule for failures. The plan is data and contains every decision. This file only runs,
 * logs and counts actions, in the same way for all controllers.
 *
 *   stage -> [skipped: one of `unless` wrote something, or one of `needs` failed] -> guard -> actions (in turn | by kind | at once) -> next stage | stop
 */
import type { Failed, PlannedAction, PlanResult, Refused, Stage, StageResult } from '@kruise/objects';
import { isFailure } from '../api-error.ts';
import { inParallel } from '../in-parallel.ts';
import type { Logger } from '../logger.ts';
import { afterFailure, asError, settled, type Outcome } from '../outcome.ts';
import { slowStart } from './slow-start.ts';

/** The functions that carry out the actions of a plan. */
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
export const mostSpecificError = (errors: readonly Error[]): Error | undefined => errors.find((error) => !isConflict(error)) ?? errors[0];

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
    const error = mostSpecificError([
      ...(admitted.error === undefined ? [] : [admitted.error]),
      ...this.#failures.map((failed) => failed.error),
    ]);
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
      // A guard that allows an action uses up its budget, so it is called only for actions that begin.
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
    if (stage.onFailure === 'Stop') return { stages: results, stoppedAt: stage.name, error: mostSpecificError(errors) ?? result.error };
  }
  const error = mostSpecificError(errors);
  return { stages: results, ...(error === undefined ? {} : { error }) };
}

/** Returns the outcome of a pass with this result; `otherwise` when nothing failed. */
export const outcomeOf = ({ error }: Pick<PlanResult<PlannedAction>, 'error'>, otherwise: Outcome = settled): Outcome =>
  error === undefined ? otherwise : afterFailure(error);

/** Returns whether a stage left actions to the next pass because its `burst` was used up. */
export const isCut = ({ stages }: Pick<PlanResult<PlannedAction>, 'stages'>): boolean =>
  [...stages.values()].some((stage) => stage.isCut === true);
