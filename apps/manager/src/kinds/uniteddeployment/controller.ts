/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/uniteddeployment.md 5.1, 5.2 */
import { unitedDeploymentDeclaration, unitedDeployments, type UnitedDeployment, type UnitedDeploymentStatus } from '@kruise/api';
import {
  EventLoopTurns,
  enqueueSelf,
  giveUp,
  isFailure,
  mostTelling,
  onEvent,
  settled,
  watchInformer,
  type Outcome,
  type PlanResult,
  type StoreReader,
} from '@kruise/kube';
import {
  compareUtf8,
  controllerRevisions,
  findCondition,
  formatKey,
  pods,
  type ControllerRevision,
  type Instant,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import { byController } from '../../caches/by-owner.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { RefusedObjects } from '../../workloads/refused-objects.ts';
import { StatusMemory } from '../../workloads/status-memory.ts';
import { WorkloadPass, type PassKind, type PassTools } from '../../workloads/workload-pass.ts';
import { subsetOfAction, type Action, type ActionOf } from './action.ts';
import { ChildCaches } from './child-caches.ts';
import type { ChildKind } from './child-kinds.ts';
import { unitedDeploymentEvents, type UnitedDeploymentEvents } from './events.ts';
import { execute } from './execute.ts';
import { observe } from './observe.ts';
import { plan, type Plan } from './plan.ts';
import { UnrenderableChild } from './render.ts';
import { heldStatus, isStatusChanged, pacedStatus, withFailures, withoutUpdateRevision, withSuccess } from './status.ts';
import { gathered, wokenByPod } from './triggers.ts';
import { examine } from './well-formed.ts';

const name = unitedDeploymentDeclaration.controllerName;

const passKind: PassKind<UnitedDeployment, UnitedDeploymentStatus> = {
  type: unitedDeployments,
  heldStatus,
  withoutUpdateRevision,
  withFailures,
  isStatusChanged,
  parts: 'children',
};

type Pass = WorkloadPass<UnitedDeployment, UnitedDeploymentStatus, Action>;

interface Stores {
  readonly united: StoreReader<UnitedDeployment>;
  readonly pods: StoreReader<Pod>;
  readonly revisions: StoreReader<ControllerRevision>;
}

/** What a pass over one UnitedDeployment works with. */
interface Round {
  readonly united: UnitedDeployment;
  readonly kind: ChildKind;
  readonly pass: Pass;
  readonly events: UnitedDeploymentEvents;
  readonly now: Instant;
}

/** What is remembered of UnitedDeployments between passes. */
interface Memories {
  readonly status: StatusMemory<UnitedDeploymentStatus>;
  readonly refusals: RefusedObjects;
}

/** What failed of the children, and of which subset that was. */
interface ChildFailure {
  readonly error: Error;
  readonly about?: string;
}

/** What says most of the failures of some stages, in the order of the subsets' names; else what could not be rendered. */
function failureIn(results: readonly PlanResult<Action>[], stages: readonly string[]): ChildFailure | undefined {
  const all = results
    .flatMap((result) => stages.flatMap((stage) => result.stages.get(stage)?.failures ?? []))
    .toSorted((a, b) => compareUtf8(subsetOfAction(a.action), subsetOfAction(b.action)));
  const faults = all.filter((failed) => failed.error instanceof UnrenderableChild).map((failed) => failed.error.message);
  const failures = all.filter((failed) => !(failed.error instanceof UnrenderableChild));
  const error = mostTelling(failures.map((failed) => failed.error));
  const failed = failures.find((one) => one.error === error);
  if (failed !== undefined) {
    const subset = subsetOfAction(failed.action);
    return subset === '' ? { error: failed.error } : { error: failed.error, about: `subset ${subset}` };
  }
  return faults.length === 0 ? undefined : { error: new Error(faults.join('; ')) };
}

/** Subsets of which something was refused in a stage, or is left to the next pass. */
function undoneIn(result: PlanResult<Action>, stage: string): ReadonlySet<string> {
  const { failures = [], left = [] } = result.stages.get(stage) ?? {};
  return new Set([...failures.map(({ action }) => action), ...left].map(subsetOfAction));
}

/** Groundwork without which nothing else is decided about a subset: its older child is the same with a duplicate and without. */
const isNeeded = ({ action }: { readonly action: Action }): boolean => action.kind !== 'DeleteDuplicate' && action.kind !== 'AdoptRevision';

/** Subsets whose child could not be adopted or released, or whose Pods could not be labelled. */
const ungroundedIn = (result: PlanResult<Action>): ReadonlySet<string> =>
  new Set((result.stages.get('groundwork')?.failures ?? []).filter(isNeeded).map(({ action }) => subsetOfAction(action)));

/** Whether the update takes no Pod away. */
const isGrowing = ({ child, wish }: ActionOf<'UpdateChild'>): boolean => wish.replicas >= (child.spec?.replicas ?? 1);

/** What came of the children, in events. */
function tellDone({ kind, events }: Round, results: readonly PlanResult<Action>[]): void {
  const done = (...stages: readonly string[]): number =>
    results.reduce((sum, result) => stages.reduce((own, stage) => own + (result.stages.get(stage)?.done ?? 0), sum), 0);
  const [created, deleted] = [done('creations'), done('deletions', 'strays')];
  if (created > 0) events.done('Create', created, kind);
  if (deleted > 0) events.done('Delete', deleted, kind);
}

function tellFailure({ events, pass }: Round, failure: ChildFailure | undefined): void {
  if (failure === undefined || pass.isHeld(failure.error) || isFailure(failure.error, 'Conflict', 'Aborted')) return;
  events.failedChild(failure.about === undefined ? 'this round' : `this round: ${failure.about}`, failure.error);
}

/** A change of the spec alone mends it: told once, and waited for. */
async function concludeFault({ united, pass, events, now }: Round, next: Plan, why: string): Promise<Outcome> {
  const isTold =
    findCondition(united.status?.conditions, 'SubsetProvisioned')?.status === 'False' &&
    united.status?.observedGeneration === united.metadata.generation;
  if (!isTold) events.failedAllocation(why);
  const status = withFailures(next.status, { scale: { message: why } }, now);
  const outcome = await pass.conclude({ ...next, status, blockedBy: { reason: 'InvalidSpec', message: why } }, {});
  return outcome.kind === 'Settled' ? giveUp(new Error(why)) : outcome;
}

/** What came of the children, in events and conditions. */
function concludeRound(round: Round, next: Plan, results: readonly PlanResult<Action>[], changes: boolean): Promise<Outcome> {
  const scale = failureIn(results, ['groundwork', 'creations', 'deletions', 'strays']);
  const update = failureIn(results, ['growing', 'updates', 'stuckPods']);
  tellDone(round, results);
  // Groundwork reports its failures itself.
  for (const failure of [failureIn(results, ['creations', 'deletions', 'strays']), update]) tellFailure(round, failure);
  const succeeded = { provisioned: scale === undefined && (changes ? 'Now' : 'Before'), updated: update === undefined } as const;
  const status = withSuccess(next.status, succeeded, round.now);
  const about = { scale: scale?.about, update: update?.about };
  return round.pass.conclude({ ...next, status }, { scale: scale?.error, update: update?.error, about });
}

/** A child that cannot be created waits by its subset. */
const objectOf = (action: Action): string | undefined => (action.kind === 'CreateChild' ? action.wish.subset.name : undefined);

class UnitedDeploymentReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #stores: Stores;
  readonly #children: ChildCaches;
  readonly #turns = new EventLoopTurns();
  readonly #memories: Memories;

  constructor(
    dependencies: ControllerDependencies,
    { stores, children, memories }: { readonly stores: Stores; readonly children: ChildCaches; readonly memories: Memories },
  ) {
    this.#dependencies = dependencies;
    this.#stores = stores;
    this.#children = children;
    this.#memories = memories;
  }

  /** One that is being deleted needs nothing: its children are the garbage collector's. */
  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { clock, client, logger, recorderFor } = this.#dependencies;
    const first = this.#stores.united.get(key);
    if (first === undefined || first.metadata.deletionTimestamp !== undefined) return settled;
    const examined = examine(first);
    const sources = examined.kind === 'WellFormed' ? await this.#children.sources(examined.childKind, signal) : undefined;
    const united = this.#stores.united.get(key);
    // It may have changed while caches were filled; another pass is due then.
    if (united !== first) return settled;
    const now = clock.now();
    const events = unitedDeploymentEvents(recorderFor(name), united);
    let collisionCount = united.status?.collisionCount ?? 0;
    const onCollisionCount = (count: number): unknown => (collisionCount = Math.max(collisionCount, count));
    const tools: PassTools<UnitedDeployment, UnitedDeploymentStatus, Action> = {
      client,
      logger,
      store: this.#stores.united,
      memory: this.#memories.status,
      refusals: this.#memories.refusals,
      // No child has to wait for its turn: all are tried in each pass.
      subjectsOf: () => [],
      objectOf,
      now,
      execute: async (action, object, during) => {
        // Children of a large template cost: one is rendered in a turn of the event loop.
        if ('wish' in action) await this.#turns.next();
        await execute(action, { client, events, onCollisionCount, united: object }, during);
      },
    };
    const pass: Pass = new WorkloadPass(passKind, united, tools, signal);
    if (examined.kind === 'Malformed') return pass.refuse(examined.why, (why) => events.invalid(why));
    const { selector, childKind } = examined;
    const { seen, nameless } = observe({ ...this.#stores, children: [], replicaSets: undefined, ...sources }, united, selector, childKind);
    if (nameless.length > 0) logger.warn({ unitedDeployment: formatKey(key), nameless }, 'Workloads that name no subset are left alone');
    const next = plan(seen, { now });
    if (next.revisions.length > 0) return pass.makeRevisions(next.revisions, next.status, () => collisionCount);
    return this.#carryOut({ united, kind: childKind, pass, events, now }, next);
  }

  /**
   * What is refused of one subset is no matter of the others, but that no Pod is given up for those that it is to run: all that are to grow have been
   * tried before, or wait for the next pass. A conflict ends the pass, as what it was planned on has changed.
   */
  async #carryOut(round: Round, next: Plan): Promise<Outcome> {
    const { pass } = round;
    const ground = await pass.run([{ name: 'groundwork', actions: next.groundwork, onFailure: 'Collect', pace: 'ByKind' }]);
    const isGrounded = ground.error === undefined;
    const grounded = isGrounded ? next : { ...next, housekeeping: [] };
    if ((ground.stages.get('groundwork')?.failures ?? []).some(({ error }) => isFailure(error, 'Conflict', 'Unreachable', 'Aborted')))
      return pass.conclude(grounded, { scale: ground.error });
    const ungrounded = ungroundedIn(ground);
    const isFree = (action: Action): boolean => !ungrounded.has(subsetOfAction(action));
    const creations = next.creations.filter(isFree);
    const first = await pass.run([{ name: 'creations', actions: creations, onFailure: 'Collect', pace: 'AtOnce' }]);
    if (next.allocationFault !== undefined) return concludeFault(round, grounded, next.allocationFault);
    const unmade = new Set([...ungrounded, ...undoneIn(first, 'creations')]);
    const growing = next.giving(unmade).updates.filter((update) => isFree(update) && isGrowing(update));
    const second = await pass.run([{ name: 'growing', actions: growing, onFailure: 'Collect', pace: 'AtOnce' }]);
    const giving = next.giving(new Set([...unmade, ...undoneIn(second, 'growing')]));
    const deletions = giving.deletions.filter(isFree);
    const grown = new Set(growing.map(subsetOfAction));
    const updates = giving.updates.filter((update) => isFree(update) && !grown.has(subsetOfAction(update)));
    const third = await pass.run([
      { name: 'deletions', actions: deletions, onFailure: 'Collect', pace: 'AtOnce' },
      { name: 'strays', actions: unmade.size === 0 ? next.strays : [], onFailure: 'Collect', pace: 'AtOnce' },
      { name: 'updates', actions: updates, onFailure: 'Collect', pace: 'AtOnce' },
      { name: 'stuckPods', actions: next.stuckPods.filter(isFree), onFailure: 'Collect', pace: 'AtOnce' },
    ]);
    const changes = creations.length + deletions.length + next.strays.length > 0;
    return concludeRound(round, grounded, [ground, first, second, third], changes);
  }
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const united = caches.of(unitedDeployments);
  const podInformer = caches.of(pods, byController);
  const revisions = caches.of(controllerRevisions, byController);
  const children = new ChildCaches(dependencies, united);
  const stores: Stores = { united: united.store, pods: podInformer.store, revisions: revisions.store };
  const memories = { status: new StatusMemory(pacedStatus), refusals: new RefusedObjects(dependencies.clock) };
  const reconciler = new UnitedDeploymentReconciler(dependencies, { stores, children, memories });
  return {
    watches: [
      onEvent(united, ({ kind, object }) => {
        if (kind === 'Deleted') for (const memory of Object.values(memories)) memory.forget(object.metadata.uid ?? '');
      }),
      watchInformer(united, enqueueSelf),
      children.watch,
      watchInformer(podInformer, (event) => gathered(wokenByPod(event, children.storeOf), united.store)),
    ],
    caches: [revisions],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

export const unitedDeploymentController: ControllerModule = { name, workers: 'uniteddeployment-workers', define };
