/**
 * Carries out a plan as {@link runPlan} does, except for actions that the API server has refused and whose wait has not ended. They are not begun, and
 * count as failures of their stage, with the error of the refusal. Conditions and later stages see the same result as after another refusal, without a
 * call to the API server.
 */
import { isFailure, mostSpecificError, runPlan, type PlanTools } from '@kruise/kube';
import {
  workloadLimits,
  type KubeObject,
  type Failed,
  type PlannedAction,
  type PlanResult,
  type Stage,
  type StageResult,
} from '@kruise/objects';
import { concernsOneObject, type PacedWrite, type RefusedObjects, type Write } from '../refusals/refused-objects.ts';

/** How refusals of a kind's actions are remembered. */
export interface Paced<A> {
  readonly refusals: RefusedObjects;
  readonly owner: KubeObject;
  /** The subjects that the action is made for. @see RefusedObjects.attempt */
  readonly subjectsOf: (action: A) => readonly string[];
  /** The object that waits once the action is refused; that of {@link objectOfAction} when absent. */
  readonly objectOf?: (action: A) => string | undefined;
}

export interface PacedResult<A extends PlannedAction> extends PlanResult<A> {
  /** Errors of actions that were not begun: earlier passes have reported them. */
  readonly held: ReadonlySet<Error>;
  /** As `error`, without those of actions that were not begun. */
  readonly fresh?: Error;
}

/** What failed in a stage in this pass, as far as it is worth reporting: the failure of an action that still waits was reported by a former pass. */
export function newFailureOf<A extends PlannedAction>({ stages, held }: PacedResult<A>, stage: string): Error | undefined {
  const errors = (stages.get(stage)?.failures ?? []).map(({ error }) => error).filter((error) => !held.has(error));
  const error = mostSpecificError(errors);
  return isFailure(error, 'Conflict') ? undefined : error;
}

/** The members by which actions of all kinds name their object. */
interface ActionObject extends PlannedAction {
  readonly pod?: KubeObject;
  readonly claim?: KubeObject;
  readonly job?: KubeObject;
  readonly child?: KubeObject;
  readonly revision?: KubeObject | string;
  readonly attempt?: { readonly revision: KubeObject };
  readonly transition?: { readonly to: string };
  readonly step?: { readonly kind: string };
}

const idOf = ({ metadata: { uid, name } }: KubeObject): string => uid ?? name;

/** Returns the uid or name of the object of an action; an empty text for an action on the owner. */
export function objectOfAction({ pod, claim, job, child, revision, attempt }: ActionObject): string {
  const object = pod ?? claim ?? job ?? child ?? attempt?.revision;
  if (object !== undefined) return idOf(object);
  return revision === undefined ? '' : typeof revision === 'string' ? revision : idOf(revision);
}

/** Steps of one kind on the same Pod are writes of their own: a refused way out does not hold back the way in. */
const kindOf = ({ kind, transition, step }: ActionObject): string =>
  [kind, transition?.to, step?.kind].filter((part) => part !== undefined).join(' ');

/** Runs of a plan's stages for one object. */
class PacedRun<A extends PlannedAction> {
  readonly #paced: Paced<A>;
  readonly #uid: string;
  readonly #held = new Map<string, Failed<A>[]>();

  constructor(paced: Paced<A>) {
    this.#paced = paced;
    this.#uid = paced.owner.metadata.uid ?? '';
  }

  async run(stages: readonly Stage<A>[], tools: PlanTools<A>, signal: AbortSignal): Promise<PacedResult<A>> {
    const paced = stages.map((stage) => this.#dueOf(stage));
    const due = paced.filter(({ needs = [] }) => needs.every((name) => this.#heldIn(name).length === 0));
    const end = due.findIndex(({ name, onFailure }) => onFailure === 'Stop' && this.#heldIn(name).length > 0);
    const result = await runPlan(
      end < 0 ? due : due.slice(0, end + 1),
      {
        ...tools,
        concernsOneObject,
        execute: (action, during, onWrite) => this.#attempt(action, () => tools.execute(action, during, onWrite)),
      },
      signal,
    );
    this.#noteGuarded(result);
    return this.#merged(result, stages);
  }

  /** What a guard refused comes after the others in the next pass, as what the API server refuses does. */
  #noteGuarded({ stages }: PlanResult<A>): void {
    const { refusals, subjectsOf } = this.#paced;
    const refused = [...stages.values()].flatMap(({ allRefused }) => allRefused);
    for (const subject of refused.flatMap(subjectsOf)) refusals.note(this.#uid, subject);
  }

  #heldIn(stage: string): readonly Failed<A>[] {
    return this.#held.get(stage) ?? [];
  }

  #writeOf(action: A): Write {
    return { kind: kindOf(action), object: this.#paced.objectOf?.(action) ?? objectOfAction(action) };
  }

  #dueOf(stage: Stage<A>): Stage<A> {
    const { refusals } = this.#paced;
    const held: Failed<A>[] = [];
    const due = stage.actions.filter((action) => {
      const waiting = refusals.waiting(this.#uid, this.#writeOf(action));
      if (waiting !== undefined) held.push({ action, error: waiting.error });
      return waiting === undefined;
    });
    this.#held.set(stage.name, held);
    return held.length === 0 ? stage : { ...stage, actions: due };
  }

  #attempt<R>(action: A, write: () => Promise<R>): Promise<R> {
    const { refusals, subjectsOf, owner } = this.#paced;
    const paced: PacedWrite = { ...this.#writeOf(action), generation: owner.metadata.generation };
    return refusals.attempt(this.#uid, subjectsOf(action), write, paced);
  }

  #merged(result: PlanResult<A>, stages: readonly Stage<A>[]): PacedResult<A> {
    const { error: fresh, stages: results, ...rest } = result;
    const merged = new Map([...results].map(([name, stage]) => [name, this.#withHeld(stage, this.#heldIn(name))]));
    const errors = stages.flatMap(({ name, onFailure }) => (onFailure === 'Log' ? [] : (merged.get(name)?.error ?? [])));
    const error = mostSpecificError(errors);
    const stopped = stages.find(({ name, onFailure }) => onFailure === 'Stop' && merged.get(name)?.error !== undefined);
    return {
      ...rest,
      stages: merged,
      held: new Set([...this.#held.values()].flat().map((failed) => failed.error)),
      ...(stopped === undefined ? {} : { stoppedAt: stopped.name }),
      ...(error === undefined ? {} : { error }),
      ...(fresh === undefined ? {} : { fresh }),
    };
  }

  /** What has been refused for the longest time comes first, so that the same refusal is reported while it lasts. */
  #withHeld(stage: StageResult<A>, held: readonly Failed<A>[]): StageResult<A> {
    if (held.length === 0) return stage;
    const since = ({ action }: Failed<A>): number => this.#paced.refusals.since(this.#uid, this.#writeOf(action)) ?? Infinity;
    const failures = [...stage.failures, ...held]
      .map((failed) => ({ failed, at: since(failed) }))
      .sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))
      .map(({ failed }) => failed);
    // What kept a guard from answering is no failure of an action, and comes first.
    const unanswered = stage.failures.some(({ error }) => error === stage.error) ? undefined : stage.error;
    const error = mostSpecificError([unanswered, ...failures.map((failed) => failed.error)].filter((one) => one !== undefined));
    return { ...stage, failures, ...(error === undefined ? {} : { error }) };
  }
}

/** No stage does more than one burst of its actions: the next pass does the others. @see isCut */
export const inBursts = <A extends PlannedAction>(stages: readonly Stage<A>[]): readonly Stage<A>[] =>
  stages.map((stage) => ({ burst: workloadLimits.actionsOfPass.value, ...stage }));

/** Runs the stages of a plan in their order. Never throws: what failed is in the result. */
export const runPaced = <A extends PlannedAction>(
  stages: readonly Stage<A>[],
  tools: PlanTools<A>,
  paced: Paced<A>,
  signal: AbortSignal,
): Promise<PacedResult<A>> => new PacedRun(paced).run(stages, tools, signal);
