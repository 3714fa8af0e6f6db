/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/uniteddeployment.md 5.1, 5.2 */
import { unitedDeploymentDeclaration, unitedDeployments, type UnitedDeployment, type UnitedDeploymentStatus } from '@kruise/api';
import {
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
import { StatusPace } from '../../workloads/status-pace.ts';
import { WorkloadPass, type PassKind, type PassTools } from '../../workloads/workload-pass.ts';
import type { Action } from './action.ts';
import { ChildCaches } from './child-caches.ts';
import type { ChildKind } from './child-kinds.ts';
import { unitedDeploymentEvents, type UnitedDeploymentEvents } from './events.ts';
import { execute } from './execute.ts';
import { observe } from './observe.ts';
import { plan, type Plan } from './plan.ts';
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

const errorIn = ({ stages }: PlanResult<Action>, ...names: readonly string[]): Error | undefined =>
  mostTelling(names.flatMap((stage) => stages.get(stage)?.error ?? []));

const faultOf = (faults: readonly string[]): Error | undefined => (faults.length === 0 ? undefined : new Error(faults.join('; ')));

/** What came of the children, in events. */
function tellOf({ kind, events }: Round, { stages }: PlanResult<Action>, error: Error | undefined): void {
  const created = stages.get('creations');
  if (created !== undefined && created.done > 0 && created.error === undefined) events.done('Create', created.done, kind);
  const deleted = stages.get('deletions');
  if (deleted !== undefined && deleted.done > 0 && deleted.error === undefined) events.done('Delete', deleted.done, kind);
  if (error !== undefined && !isFailure(error, 'Conflict', 'Aborted')) events.failedChild('this round', error);
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

class UnitedDeploymentReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #stores: Stores;
  readonly #children: ChildCaches;
  readonly #passKind: PassKind<UnitedDeployment, UnitedDeploymentStatus>;

  constructor(
    dependencies: ControllerDependencies,
    {
      stores,
      children,
      pace,
    }: { readonly stores: Stores; readonly children: ChildCaches; readonly pace: StatusPace<UnitedDeploymentStatus> },
  ) {
    this.#dependencies = dependencies;
    this.#stores = stores;
    this.#children = children;
    this.#passKind = { ...passKind, statusWait: (united, status) => pace.wait(united, status, dependencies.clock.now()) };
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
    const tools: PassTools<UnitedDeployment, Action> = {
      client,
      logger,
      store: this.#stores.united,
      now,
      execute: (action, object, during) => execute(action, { client, events, onCollisionCount, united: object }, during),
    };
    const pass: Pass = new WorkloadPass(this.#passKind, united, tools, signal);
    if (examined.kind === 'Malformed') return pass.refuse(examined.why, (why) => events.invalid(why));
    const { selector, childKind } = examined;
    const { seen, nameless } = observe({ ...this.#stores, children: [], replicaSets: undefined, ...sources }, united, selector, childKind);
    if (nameless.length > 0) logger.warn({ unitedDeployment: formatKey(key), nameless }, 'Workloads that name no subset are left alone');
    const next = plan(seen, { now });
    if (next.revisions.length > 0) return pass.makeRevisions(next.revisions, next.status, () => collisionCount);
    return this.#carryOut({ united, kind: childKind, pass, events, now }, next);
  }

  /** Nothing is updated in a pass that could not create and delete. */
  async #carryOut(round: Round, next: Plan): Promise<Outcome> {
    const { pass } = round;
    const { groundwork, creations, deletions, updates, stuckPods } = next;
    const first = await pass.run([
      { name: 'groundwork', actions: groundwork, onFailure: 'Stop', pace: 'ByKind' },
      { name: 'creations', actions: creations, onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreateChild'] },
      { name: 'deletions', actions: deletions, onFailure: 'Collect', pace: 'AtOnce' },
    ]);
    if (first.stoppedAt !== undefined) return pass.conclude({ ...next, housekeeping: [] }, { scale: first.error });
    if (next.allocationFault !== undefined) return concludeFault(round, next, next.allocationFault);
    const scale = errorIn(first, 'creations', 'deletions') ?? faultOf(next.faults.create);
    tellOf(round, first, scale);
    if (scale !== undefined) return pass.conclude(next, { scale });
    const second = await pass.run([
      { name: 'updates', actions: updates, onFailure: 'EndStage', pace: 'ByKind', slowly: ['UpdateChild'] },
      { name: 'stuckPods', actions: stuckPods, onFailure: 'Collect', pace: 'AtOnce' },
    ]);
    const update = errorIn(second, 'updates', 'stuckPods') ?? faultOf(next.faults.update);
    tellOf(round, second, update);
    if (update !== undefined) return pass.conclude(next, { update });
    const status = withSuccess(next.status, creations.length + deletions.length > 0, round.now);
    return pass.conclude({ ...next, status }, {});
  }
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const united = caches.of(unitedDeployments);
  const podInformer = caches.of(pods, byController);
  const revisions = caches.of(controllerRevisions, byController);
  const children = new ChildCaches(dependencies, united);
  const stores: Stores = { united: united.store, pods: podInformer.store, revisions: revisions.store };
  const pace = new StatusPace(pacedStatus);
  const reconciler = new UnitedDeploymentReconciler(dependencies, { stores, children, pace });
  return {
    watches: [
      onEvent(united, ({ kind, object }) => {
        if (kind === 'Deleted') pace.forget(object.metadata.uid ?? '');
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
