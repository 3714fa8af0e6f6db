/**
 * What a pass over a workload does with its plan, the same for all kinds: revisions first and alone, then the stages of the kind; at the end the
 * status, with what stopped the pass in its conditions, and the housekeeping.
 */
import {
  afterFailure,
  asError,
  giveUp,
  isCut,
  isFailure,
  requeue,
  mostSpecificError,
  requeueOrSettle,
  witnessedClient,
  writeStatus,
  type Outcome,
  type PlanTools,
} from '@kruise/kube';
import {
  earliest,
  formatKey,
  keyOf,
  milliseconds,
  type Milliseconds,
  type PlannedAction,
  type PlanResult,
  type Stage,
  type StageResult,
} from '@kruise/objects';
import {
  causeOfPass,
  causeOfRefusal,
  withBlocking,
  withKstatus,
  withoutKstatus,
  type BlockingCause,
  type PassFailures,
} from '@kruise/workloads';
import type { ConfigNote } from '../configs/config-rollout.ts';
import { newestOf } from '../../writes/status-writes.ts';
import { rememberCollisions } from './collision-count.ts';
import { fieldOf } from './owner-memories.ts';
import type { Conclusion, Ground, PassKind, PassTools, WorkloadObject, WorkloadStatus } from './pass-parts.ts';
import { refusedFor } from '../admit-updates.ts';
import { failuresOf, type PassErrors } from '../refusals/refusal.ts';
import type { GuardAnswer } from '../refusals/reported-refusals.ts';
import { statusWrite, triedAgainWithin, type PacedWrite } from '../refusals/refused-objects.ts';
import { inBursts, runPaced } from './run-paced.ts';

/** Kinds of groundwork without which a place is what it was. */
const neededByNoPlace: ReadonlySet<string> = new Set(['ReleasePod', 'DeleteDuplicate', 'AdoptRevision']);

/** One pass over one object. */
export class WorkloadPass<T extends WorkloadObject<S>, S extends WorkloadStatus, A extends PlannedAction> {
  readonly #kind: PassKind<T, S>;
  /** As it was seen, but for what the pass itself has written into its status. */
  #object: T;
  readonly #tools: PassTools<T, S, A>;
  readonly #signal: AbortSignal;
  /** Whether actions are left for the next pass. */
  #isCut = false;
  /** Errors of former passes, of writes that wait. */
  readonly #held = new Set<Error>();
  /** What failed in this pass. */
  readonly #fresh: Error[] = [];
  /** Results of the stages that a guard protects; undefined for a stage that was left to the next pass. */
  readonly #guarded: (StageResult<A> | undefined)[] = [];
  /** What is reported beside the plan. */
  #note: ConfigNote = {};

  constructor(kind: PassKind<T, S>, object: T, tools: PassTools<T, S, A>, signal: AbortSignal) {
    this.#kind = kind;
    this.#object = object;
    this.#tools = tools;
    this.#signal = signal;
    tools.refusals.begin(object);
  }

  /** Has the end of the pass report what the plan does not know. Its cause gives way to what the API server refuses. */
  note(note: ConfigNote): void {
    this.#note = note;
  }

  /** Whether the error is that of a former pass: it has been reported, and nothing was tried. */
  isHeld(error: Error): boolean {
    return this.#held.has(error);
  }

  /** No stage does more than one burst of its actions. */
  async run(stages: readonly Stage<A>[], object: T = this.#object): Promise<PlanResult<A>> {
    const { client, execute, logger } = this.#tools;
    const about = { [fieldOf(this.#kind.type)]: formatKey(keyOf(object)) };
    const tools: PlanTools<A> = {
      execute: (action, signal, onWrite) => execute(action, object, signal, witnessedClient(client, onWrite)),
      logger,
      about,
    };
    const paced = { ...this.#tools, owner: this.#object };
    const { held, fresh, ...result } = await runPaced(inBursts(stages), tools, paced, this.#signal);
    this.#isCut ||= isCut(result);
    for (const { name, guard } of stages) if (guard !== undefined) this.#guarded.push(result.stages.get(name));
    for (const error of held) this.#held.add(error);
    const failures = [...result.stages.values()].flatMap((stage) => stage.failures);
    this.#tools.doubts?.note(this.#object.metadata.uid ?? '', failures, this.#tools.now);
    if (fresh !== undefined) this.#fresh.push(fresh);
    return result;
  }

  /**
   * Whether a Pod may be other than it is known, as the answer to a write of a former pass was lost. Nothing is planned then.
   *
   * @throws ApiError when the API server does not answer
   */
  async isInDoubt(): Promise<boolean> {
    const { doubts, client, now } = this.#tools;
    return (await doubts?.remains(this.#object.metadata.uid ?? '', client, now, this.#signal)) ?? false;
  }

  /**
   * Runs ownership and labels, which come before all stages. A conflict ends the pass, as what it was planned on has changed: the workload itself may no
   * longer exist.
   *
   * @param placeOf the place that an action is for, e.g. a node
   */
  async runGroundwork(groundwork: readonly A[], placeOf: (action: A) => string | undefined): Promise<Ground<A>> {
    const result = await this.run([{ name: 'groundwork', actions: groundwork, onFailure: 'Collect', pace: 'ByKind' }]);
    const failures = result.stages.get('groundwork')?.failures ?? [];
    const needed = failures.filter(({ action }) => !neededByNoPlace.has(action.kind));
    const refused = new Set(needed.map(({ action }) => placeOf(action)).filter((place) => place !== undefined));
    const isOver = failures.some(({ error }) => isFailure(error, 'Conflict', 'Unreachable', 'Aborted'));
    return { result: isOver ? { ...result, stoppedAt: 'groundwork' } : result, refused };
  }

  /** Runs ownership and labels, and the stages after them for all places but those whose Pod could not be adopted or labelled. */
  async runAfterGroundwork(
    groundwork: readonly A[],
    stages: readonly Stage<A>[],
    placeOf: (action: A) => string | undefined,
  ): Promise<PlanResult<A>> {
    const { result: ground, refused } = await this.runGroundwork(groundwork, placeOf);
    if (ground.stoppedAt !== undefined) return ground;
    const withoutRefused = (actions: readonly A[]): readonly A[] => actions.filter((action) => !refused.has(placeOf(action) ?? ''));
    const rest = await this.run(
      refused.size === 0 ? stages : stages.map((stage) => ({ ...stage, actions: withoutRefused(stage.actions) })),
    );
    const error = mostSpecificError([ground.error, rest.error].filter((one) => one !== undefined));
    return { ...rest, stages: new Map([...ground.stages, ...rest.stages]), ...(error === undefined ? {} : { error }) };
  }

  /**
   * Writes the revision that everything else relies on, and has the next pass begin with it.
   *
   * @param status as counted in this pass, shown when the revision cannot be written
   * @param collisionCount how often its name was taken, after the writes
   */
  async makeRevisions(actions: readonly A[], status: S, collisionCount: () => number): Promise<Outcome> {
    const { error } = await this.run([{ name: 'revisions', actions, onFailure: 'Stop', pace: 'ByKind' }]);
    const required = this.#kind.heldStatus(this.#object);
    const collisions = { object: this.#object, collisionCount: collisionCount(), required };
    this.#object = await rememberCollisions(this.#tools.client, this.#kind.type, collisions, this.#signal);
    if (error === undefined) return requeue(this.#tools.memory.revisions.written(this.#object.metadata.uid ?? ''));
    const { collisionCount: held } = this.#object.status ?? {};
    const counted = held === undefined ? status : { ...status, collisionCount: held };
    const unrevised = this.#kind.withoutUpdateRevision?.(this.#object, counted) ?? counted;
    return this.conclude({ status: unrevised, housekeeping: [] }, { update: error });
  }

  /**
   * Writes a status that must be there before the stages run, wherever the process dies in between.
   *
   * @returns how the pass ends when the status is refused; undefined once it is written
   */
  async writeFirst(status: S): Promise<Outcome | undefined> {
    const error = await this.#writeStatus(status);
    return error === undefined ? undefined : this.#afterRefusedStatus(error);
  }

  #afterRefusedStatus(error: Error): Outcome {
    return this.#tools.refusals.outcome(this.#object.metadata.uid ?? '', this.#held.has(error) ? undefined : error, []);
  }

  /** Says in the status what stopped the pass, whichever part of it that was, and in the outcome when to try again. */
  async conclude(planned: Conclusion<S, A>, errors: PassErrors): Promise<Outcome> {
    const { now, memory } = this.#tools;
    const next = this.#withGuards(planned);
    memory.revisions.shown(this.#object.metadata.uid ?? '');
    const failures = failuresOf(errors);
    const failed = this.#kind.withFailures?.(next.status, failures, now) ?? next.status;
    const found = this.#causeOf(failures, next.blockedBy);
    const reported = memory.causes.after(this.#object, found, { isSettled: memory.paced.isSettled(failed), now });
    const status = this.#withProgress(failed, reported.cause);
    const thrown = [errors.scale, errors.update].filter((error) => error !== undefined);
    const isNews = (error: Error): boolean => !this.#held.has(error);
    const wait = this.#waitFor(status, [...thrown, ...this.#fresh].some(isNews));
    const statusError = wait === undefined ? await this.#writeStatus(status) : undefined;
    if (statusError === undefined) {
      next.announce?.();
      await this.#tidyUp(next.housekeeping);
    }
    // What waits is no failure of this pass: the next one comes when the first wait ends.
    const error = [...thrown, ...this.#fresh, ...(statusError === undefined ? [] : [statusError])].find(isNews);
    const { requeueAfter } = earliest([
      next.requeueAfter,
      this.#note.requeueAfter,
      reported.requeueAfter,
      wait,
      this.#tools.refusals.shortestWait(this.#object.metadata.uid ?? ''),
      error === undefined ? undefined : triedAgainWithin,
    ]);
    if (error !== undefined) return afterFailure(error, requeueAfter);
    return this.#isCut ? requeue(milliseconds(0)) : requeueOrSettle(requeueAfter);
  }

  /** Returns the status with the conditions for what blocks the object, and for what is left to do. */
  #withProgress(status: S, cause: BlockingCause | undefined): S {
    const { now, hasKstatus } = this.#tools;
    const blocked = withBlocking(status, cause, now);
    const { kstatusCounts } = this.#kind;
    if (kstatusCounts === undefined) return blocked;
    return hasKstatus ? withKstatus(blocked, () => kstatusCounts(this.#object, blocked), cause, now) : withoutKstatus(blocked);
  }

  /** What the guards of all stages of this pass said together. */
  #answerOfGuards(): GuardAnswer<A> {
    const refused = this.#guarded.find((stage) => stage?.refused !== undefined)?.refused;
    if (refused !== undefined) return { kind: 'Refused', refused };
    return this.#guarded.length > 0 && !this.#guarded.includes(undefined) ? { kind: 'Allowed' } : { kind: 'NotAsked' };
  }

  /** Adds what guards refused in this pass or before it: the cause in the status, and when the guards are asked again. */
  #withGuards(next: Conclusion<S, A>): Conclusion<S, A> {
    const { guardRefusals, refusals, subjectsOf } = this.#tools;
    const { uid = '' } = this.#object.metadata;
    const isRefused = (action: A): boolean => subjectsOf(action).some((subject) => refusals.isRefused(uid, subject));
    const answer = this.#answerOfGuards();
    const refusal = guardRefusals.after(this.#object, answer, isRefused);
    return {
      ...next,
      ...(refusal === undefined ? {} : { blockedBy: causeOfRefusal(refusal) }),
      ...(answer.kind === 'Refused' ? earliest([next.requeueAfter, refusedFor]) : {}),
    };
  }

  #causeOf(failures: PassFailures, planned: BlockingCause | undefined): BlockingCause | undefined {
    return causeOfPass(failures, this.#note.cause ?? planned, this.#kind.parts);
  }

  /** Undefined when the status is written now, or need not be. */
  #waitFor(status: S, isFailed: boolean): Milliseconds | undefined {
    const { memory, now } = this.#tools;
    if (!this.#kind.isStatusChanged(this.#object, status)) {
      memory.pace.rest(this.#object.metadata.uid ?? '');
      return undefined;
    }
    const wait = memory.pace.wait(this.#object, status, { now, isFailed });
    return wait > 0 ? wait : undefined;
  }

  /**
   * Reports an object that cannot be planned in a condition and an event; nothing else happens until the object changes.
   *
   * `tell` records the event once, together with the status.
   */
  async refuse(why: string, tell: (why: string) => void): Promise<Outcome> {
    const { now } = this.#tools;
    const { withFailures } = this.#kind;
    const seen = this.#observedStatus();
    const failed = withFailures?.(seen, { scale: { message: why } }, now) ?? seen;
    const status = this.#withProgress(failed, { reason: 'InvalidSpec', message: why });
    if (this.#kind.isStatusChanged(this.#object, status)) tell(why);
    const error = await this.#writeStatus(status);
    return error === undefined ? giveUp(new Error(why)) : this.#afterRefusedStatus(error);
  }

  /** Reports the cause of the note, and does nothing else. A cause that is not known yet changes no status. */
  async wait(): Promise<Outcome> {
    const { cause, requeueAfter } = this.#note;
    return cause === undefined ? requeueOrSettle(requeueAfter) : this.conclude({ status: this.#observedStatus(), housekeeping: [] }, {});
  }

  /** The status of an object for which nothing is planned: its generation counts as observed. */
  #observedStatus(): S {
    const { heldStatus, malformedStatus } = this.#kind;
    const { generation = 0 } = this.#object.metadata;
    return malformedStatus?.(this.#object) ?? { ...heldStatus(this.#object), observedGeneration: generation };
  }

  /** On the object as its own status write has left it. */
  async #tidyUp(housekeeping: readonly A[]): Promise<void> {
    await this.run(
      [{ name: 'housekeeping', actions: housekeeping, onFailure: 'Log', pace: 'ByKind' }],
      newestOf(this.#tools.store, this.#object),
    );
  }

  /** @returns the error, if any, also that of a write that waits; an object that no longer exists needs no status */
  async #writeStatus(status: S): Promise<Error | undefined> {
    if (!this.#kind.isStatusChanged(this.#object, status)) return undefined;
    const { refusals, client, store, memory } = this.#tools;
    const { uid = '', generation } = this.#object.metadata;
    const waits: PacedWrite = { ...statusWrite, generation };
    const waiting = refusals.waiting(uid, waits);
    if (waiting !== undefined) {
      this.#held.add(waiting.error);
      memory.pace.refused(uid);
      return waiting.error;
    }
    try {
      const object = newestOf(store, this.#object);
      const write = (): Promise<T | undefined> => writeStatus(client, this.#kind.type, { object, status, how: 'Replace' }, this.#signal);
      this.#object = (await refusals.attempt(uid, [], write, waits)) ?? object;
      return undefined;
    } catch (error) {
      memory.pace.refused(uid);
      return asError(error);
    }
  }
}
