/**
 * The controller of a kind that owns no Pods. A kind declares what it reads, its rules, and the stages of its plan; everything that is the same for all
 * of them is done here:
 *
 *   event -> key -> object -> examine -> [malformed: event, status, give up] -> observe -> plan
 *         -> opening status -> stages before -> conclude -> status -> stages after -> announce -> requeue
 *
 * If the opening status cannot be written, the pass ends, unless the kind declares which stages do not need it (`runsUnopened`).
 *
 * A kind whose status other processes also write declares a `SharedStatus`: `conclude` then decides on the newest copy (shared-status.ts).
 *
 * A write that the API server has refused waits before it is made again, 1 s at first and a minute at most; so does the status. A pass that fails is
 * repeated with backoff, and after a minute at the latest.
 */
import {
  afterFailure,
  enqueueSelf,
  giveUp,
  isAbsence,
  isCut,
  isFailure,
  mostSpecificError,
  settled,
  watchInformer,
  writeStatus,
  type EventRecorder,
  type Outcome,
  type PlanTools,
} from '@kruise/kube';
import {
  deepEqual,
  formatKey,
  milliseconds,
  type KubeObject,
  type Milliseconds,
  type ObjectKey,
  type PlannedAction,
  type Stage,
  type StageResult,
} from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { writeNewestStatus } from '../../writes/status-writes.ts';
import { RefusedObjects, triedAgainWithin, type StatusWritten } from '../refusals/refused-objects.ts';
import { fieldOf, forgetting, type ObjectSource } from './owner-memories.ts';
import type { Conclusion, Passed, PlanDefinition, PlanIo, Planned, PlanSources, PlanTypes, Status } from './plan-definition.ts';
import { repeatedPass } from './repeated-pass.ts';
import { runPaced, type PacedResult } from './run-paced.ts';
import { SharedStatusWriter, type Concluded } from './shared-status.ts';

/** The results of two groups of stages as one. */
function joined<A extends PlannedAction>(first: PacedResult<A>, second: PacedResult<A>): PacedResult<A> {
  const stages: ReadonlyMap<string, StageResult<A>> = new Map([...first.stages, ...second.stages]);
  const mostSpecificErrorOf = (...errors: readonly (Error | undefined)[]): Error | undefined =>
    mostSpecificError(errors.filter((one) => one !== undefined));
  const [error, fresh] = [mostSpecificErrorOf(first.error, second.error), mostSpecificErrorOf(first.fresh, second.fresh)];
  const held = new Set([...first.held, ...second.held]);
  return { stages, held, ...(error === undefined ? {} : { error }), ...(fresh === undefined ? {} : { fresh }) };
}

/** What is concluded where a kind has no rule for it: the rest of the plan applies anyway. */
const statusOf = <K extends PlanTypes>({ status }: K['plan']): Conclusion<K> => (status === undefined ? {} : { status });

/** The outcome of a pass that continued without its opening status: it is repeated for this status, and no later than the rest of the pass requires. */
function repeatedToOpen(error: Error | undefined, rest: Outcome): Outcome {
  if (error === undefined || rest.kind === 'Retry') return rest;
  return afterFailure(error, rest.kind === 'Requeue' ? rest.after : triedAgainWithin);
}

const nothingDone = { stages: new Map<string, never>(), held: new Set<Error>() };

class PlanReconciler<K extends PlanTypes> {
  readonly #kind: PlanDefinition<K>;
  readonly #dependencies: ControllerDependencies;
  readonly #sources: PlanSources<K>;
  readonly #recorder: EventRecorder;
  readonly #shared: SharedStatusWriter<K> | undefined;
  readonly refusals: RefusedObjects;

  constructor(kind: PlanDefinition<K>, dependencies: ControllerDependencies, sources: PlanSources<K>) {
    const { client, clock, recorderFor } = dependencies;
    const { type, status } = kind;
    const { store } = sources.objects;
    this.#kind = kind;
    this.#dependencies = dependencies;
    this.#sources = sources;
    this.#recorder = recorderFor(kind.name);
    this.refusals = new RefusedObjects(clock);
    this.#shared =
      typeof status === 'object' ? new SharedStatusWriter(status, { type, store, client, clock, refusals: this.refusals }) : undefined;
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    return repeatedPass(async () => {
      try {
        return await this.#look(key, signal);
      } catch (error) {
        if (this.#isDeleted(key, error)) return settled;
        throw error;
      }
    });
  }

  #find(key: ObjectKey): K['object'] | undefined {
    const { find, objects } = this.#sources;
    return find === undefined ? objects.store.get(key) : find(key);
  }

  async #look(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { rules, leaves, whenAbsent } = this.#kind;
    const { known } = this.#sources;
    const object = this.#find(key);
    const notes: K['note'][] = [];
    const { client, clock, logger } = this.#dependencies;
    const now = clock.now();
    const common = { key, now, refusals: this.refusals, signal, known, client, clock, logger, recorder: this.#recorder };
    const absent = { ...common, note: (note: K['note']): void => void notes.push(note) };
    if (object === undefined) {
      await whenAbsent?.(absent);
      return settled;
    }
    if (leaves?.(object, known) === true) return settled;
    this.refusals.begin(object);
    const io: PlanIo<K> = { ...absent, object };
    const why = rules.examine?.(object);
    if (why !== undefined) return this.#refuse(io, why);
    const snapshot = await rules.observe(known, object, io);
    return this.#carryOut({ ...io, snapshot, plan: rules.plan(snapshot, now, known) }, notes);
  }

  /** Nothing else happens until the object changes. */
  async #refuse(io: PlanIo<K>, why: string): Promise<Outcome> {
    const { malformed } = this.#kind;
    const status = malformed?.status?.(io.object, why);
    const isNews = status === undefined || !deepEqual(io.object.status, status);
    const { error, fresh } = await this.#writeStatus(io, status);
    if (isNews && error === undefined) malformed?.announce(io, why);
    return error === undefined ? giveUp(new Error(why)) : this.#outcome(io, [fresh], []);
  }

  async #carryOut(planned: Planned<K>, notes: readonly K['note'][]): Promise<Outcome> {
    const { plan, object: seen, known } = planned;
    const { stages, announcePlan, announceOpening } = this.#kind;
    const { before = [], after = [] } = stages(plan, seen, known);
    announcePlan?.(planned);
    const { object, error, fresh } = await this.#writeStatus(planned, plan.opening);
    const pass: Planned<K> = { ...planned, object };
    announceOpening?.(pass, error);
    const due = error === undefined ? before : this.#unopened(before, error);
    if (due === undefined) return this.#outcome(pass, [fresh], [plan.requeueAfter]);
    return repeatedToOpen(fresh, await this.#runStages(pass, notes, { before: due, after }));
  }

  /** Returns the stages that run without the opening status; undefined if the pass ends. */
  #unopened(before: readonly Stage<K['action']>[], error: Error): readonly Stage<K['action']>[] | undefined {
    const { runsUnopened } = this.#kind;
    return runsUnopened === undefined ? undefined : before.filter(({ name }) => runsUnopened(name, error));
  }

  async #runStages(
    pass: Planned<K>,
    notes: readonly K['note'][],
    { before, after }: Required<ReturnType<PlanDefinition<K>['stages']>>,
  ): Promise<Outcome> {
    const begun = await this.#run(before, pass);
    if (begun.stoppedAt === undefined) return this.#conclude(pass, { ...begun, notes }, after);
    this.#kind.announce?.(pass, { ...begun, notes, isShown: false });
    return this.#outcome(pass, [pass.plan.failure, begun.fresh], [pass.plan.requeueAfter]);
  }

  async #conclude(pass: Planned<K>, begun: Passed<K>, after: readonly Stage<K['action']>[]): Promise<Outcome> {
    const { plan } = pass;
    const { conclusion, ...written } = await this.#writeConclusion(pass, begun);
    const { status, notes = [], requeueAfter, failure, isOver = false } = conclusion;
    const isShown = written.error === undefined;
    const result = isOver || !isShown ? begun : joined<K['action']>(begun, await this.#run(conclusion.after ?? after, pass));
    const ended = { ...result, notes: isShown ? [...begun.notes, ...notes] : begun.notes, isShown };
    this.#kind.announce?.(pass, { ...ended, ...(status === undefined ? {} : { status }) });
    const failures = [plan.failure, failure, result.fresh, written.fresh];
    // After a failure, the backoff determines the time of the next pass.
    const isLeft = isCut(result) && failures.every((error) => error === undefined);
    return this.#outcome(pass, failures, [plan.requeueAfter, requeueAfter, isLeft ? milliseconds(0) : undefined]);
  }

  async #writeConclusion(pass: Planned<K>, begun: Passed<K>): Promise<Concluded<K>> {
    const { plan, object: seen, signal } = pass;
    const conclude = (object: K['object']): Conclusion<K> => this.#kind.rules.conclude?.({ ...pass, object }, begun) ?? statusOf(plan);
    if (this.#shared !== undefined) return this.#shared.write(seen, conclude, signal);
    const conclusion = conclude(seen);
    const { object: _written, ...result } = await this.#writeStatus(pass, conclusion.status);
    return { ...result, conclusion };
  }

  #run(stages: readonly Stage<K['action']>[], pass: Planned<K>): Promise<PacedResult<K['action']>> {
    if (stages.length === 0) return Promise.resolve(nothingDone);
    const { type, execute, subjectsOf = () => [], objectOf } = this.#kind;
    const tools: PlanTools<K['action']> = {
      execute: (action, signal) => execute(action, pass, signal),
      logger: pass.logger,
      about: { [fieldOf(type)]: formatKey(pass.key) },
    };
    const paced = { refusals: this.refusals, owner: pass.object, subjectsOf, ...(objectOf === undefined ? {} : { objectOf }) };
    return runPaced(stages, tools, paced, pass.signal);
  }

  async #writeStatus(io: PlanIo<K>, status: Status<K> | undefined): Promise<StatusWritten & Pick<PlanIo<K>, 'object'>> {
    const { client, object, signal } = io;
    const { status: how, type } = this.#kind;
    if (status === undefined || how === undefined) return { object };
    let written: K['object'] | undefined;
    const result = await this.refusals.writeStatus(object, async () => {
      written =
        how === 'Newest'
          ? await writeNewestStatus(type, { object, status }, { client, store: this.#sources.objects.store }, signal)
          : await writeStatus(client, type, { object, status, how: typeof how === 'object' ? 'Replace' : how }, signal);
    });
    return { ...result, object: written ?? object };
  }

  /** @param failures of this pass; one that still waits is none */
  #outcome(io: PlanIo<K>, failures: readonly (Error | undefined)[], waits: readonly (Milliseconds | undefined)[]): Outcome {
    const fresh = mostSpecificError(failures.filter((error) => error !== undefined));
    if (fresh !== undefined && this.#isDeleted(io.key, fresh)) return settled;
    return this.refusals.outcome(io.object.metadata.uid ?? '', fresh, waits);
  }

  /** The watch reports it. */
  #isDeleted(key: ObjectKey, error: unknown): boolean {
    return isAbsence(error, this.#kind.type, key.name) || (isFailure(error, 'NotFound') && this.#find(key) === undefined);
  }
}

/** What a kind does with its keys, on sources that are made already: for a controller with two kinds of key. */
function planWork<K extends PlanTypes>(
  kind: PlanDefinition<K>,
  dependencies: ControllerDependencies,
  sources: PlanSources<K>,
): ControllerWork {
  const reconciler = new PlanReconciler(kind, dependencies, sources);
  const { objects, requestsOf = enqueueSelf, watches, caches = [], memories = [], alsoFound = [] } = sources;
  const owners: readonly ObjectSource<KubeObject>[] = [objects, ...alsoFound];
  return {
    watches: [
      ...owners.map((informer) => forgetting(informer, [reconciler.refusals, ...memories])),
      watchInformer(objects, requestsOf),
      ...watches,
    ],
    caches,
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

/** The controller of a kind that owns no Pods, made from what the kind declares. */
export function planController<K extends PlanTypes>(kind: PlanDefinition<K>): ControllerModule {
  const { name, workers, needs, gates, anyGate } = kind;
  return {
    name,
    workers,
    ...(needs === undefined ? {} : { needs }),
    ...(gates === undefined ? {} : { gates }),
    ...(anyGate === undefined ? {} : { anyGate }),
    define: (dependencies) => planWork(kind, dependencies, kind.sources(dependencies)),
  };
}
