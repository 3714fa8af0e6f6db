/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/statefulset.md 5.1, 5.3 */
import { conditionTypes, imagePullJobs, statefulSetDeclaration, statefulSets, type StatefulSet, type StatefulSetStatus } from '@kruise/api';
import { enqueueSelf, mostTelling, onEvent, settled, watchInformer, type Outcome, type PlanResult, type Stage } from '@kruise/kube';
import { controllerRevisions, nodes, persistentVolumeClaims, pods, storageClasses, type ObjectKey } from '@kruise/objects';
import { byController } from '../../caches/by-owner.ts';
import { podsByNode } from '../../caches/pods-by-node.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { afterRefusal, firstRefusal, updateGuardOf } from '../../workloads/admit-updates.ts';
import { InDoubt, whileInDoubt } from '../../workloads/in-doubt.ts';
import { freesQuotaOf, isIgnorable, ownersOnNode, usersOfRevision } from '../../workloads/pod-events.ts';
import { pullsImagesAhead } from '../../workloads/pull-ahead-writes.ts';
import type { PassErrors } from '../../workloads/refusal.ts';
import { RefusedObjects } from '../../workloads/refused-objects.ts';
import { StatusMemory } from '../../workloads/status-memory.ts';
import { WorkloadPass, type PassKind, type PassTools } from '../../workloads/workload-pass.ts';
import type { Action } from './action.ts';
import { statefulSetEvents, type StatefulSetEvents } from './events.ts';
import { execute } from './execute.ts';
import type { Io } from './io.ts';
import { membersOf, observe, orphansByParent, type Stores } from './observe.ts';
import { plan, type Plan } from './plan.ts';
import type { Context } from './snapshot.ts';
import { heldStatus, isStatusChanged, pacedStatus, withFailures, withoutUpdateRevision } from './status.ts';
import { gathered, setsOfClaim, setsOfPod } from './triggers.ts';
import { examine } from './well-formed.ts';

const name = statefulSetDeclaration.controllerName;

const passKind: PassKind<StatefulSet, StatefulSetStatus> = {
  type: statefulSets,
  heldStatus,
  withoutUpdateRevision,
  withFailures,
  isStatusChanged,
};

type Pass = WorkloadPass<StatefulSet, StatefulSetStatus, Action>;

/** Actions for which a Pod has its turn: it comes after the others in the next pass when one of them is refused. */
const attempted: ReadonlySet<Action['kind']> = new Set([
  'AdoptPod',
  'CreatePod',
  'CreateClaims',
  'DeletePod',
  'SetLifecycle',
  'UpdatePodInPlace',
  'ResizePod',
]);
/** By name, as a Pod that cannot be created has nothing else. */
const nameOfPod = (action: Action): string | undefined => ('pod' in action ? action.pod.metadata.name : undefined);
const subjectsOf = (action: Action): readonly string[] => (attempted.has(action.kind) && 'pod' in action ? [action.pod.metadata.name] : []);

class StatefulSetReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #stores: Stores;
  readonly #eventsOf: (set: StatefulSet) => StatefulSetEvents;
  readonly #refusals: RefusedObjects;
  readonly #memory = new StatusMemory(pacedStatus);
  readonly #doubts: InDoubt;

  constructor(dependencies: ControllerDependencies, stores: Stores) {
    this.#dependencies = dependencies;
    this.#stores = stores;
    this.#refusals = new RefusedObjects(dependencies.clock);
    this.#doubts = new InDoubt(stores.pods, dependencies.flags['expectation-timeout']);
    const recorder = dependencies.recorderFor(name);
    this.#eventsOf = (set) => statefulSetEvents(recorder, set);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const set = this.#stores.sets.get(key);
    if (set === undefined) return settled;
    const { clock, gates, resourceWriting } = this.#dependencies;
    const refused = this.#refusals.of(set.metadata.uid ?? '', () => membersOf(this.#stores, set, gates));
    const context: Context = {
      now: clock.now(),
      refused,
      gates,
      resources: resourceWriting,
    };
    const events = this.#eventsOf(set);
    let collisionCount = set.status?.collisionCount ?? 0;
    const io: Omit<Io, 'set'> = {
      ...this.#dependencies,
      context,
      events,
      onCollisionCount: (count) => (collisionCount = Math.max(collisionCount, count)),
      triesFirst: refused.size > 0,
    };
    const tools: PassTools<StatefulSet, StatefulSetStatus, Action> = {
      ...this.#dependencies,
      store: this.#stores.sets,
      now: context.now,
      memory: this.#memory,
      doubts: this.#doubts,
      refusals: this.#refusals,
      subjectsOf,
      execute: (action, object, during) => execute(action, { ...io, set: object }, during),
    };
    const pass: Pass = new WorkloadPass(passKind, set, tools, signal);
    const examined = examine(set);
    if (examined.kind === 'Malformed') return pass.refuse(examined.why, (why) => events.invalid(why));
    if (await pass.isInDoubt()) return whileInDoubt;
    const next = plan(observe(this.#stores, set, examined.selector), context);
    return next.revisions.length > 0
      ? pass.makeRevisions(next.revisions, next.status, () => collisionCount)
      : this.#carryOut(set, next, pass, events);
  }

  /** What is refused for one Pod says nothing about the next. Only creations start slowly, as a quota refuses all of them. */
  #stagesOf({ preDownload, claimOwners, upkeep, slots, deletions, update }: Plan): readonly Stage<Action>[] {
    const guard = updateGuardOf(this.#dependencies);
    return [
      { name: 'preDownload', actions: preDownload, onFailure: 'Log', pace: 'ByKind' },
      { name: 'claimOwners', actions: claimOwners, onFailure: 'Collect', pace: 'ByKind' },
      { name: 'upkeep', actions: upkeep, onFailure: 'Collect', pace: 'ByKind', ...guard },
      { name: 'slots', actions: slots, onFailure: 'Collect', pace: 'ByKind', slowly: ['CreatePod'], ...guard },
      { name: 'deletions', actions: deletions, onFailure: 'Collect', pace: 'ByKind' },
      { name: 'update', actions: update, onFailure: 'Collect', pace: 'ByKind', ...guard },
    ];
  }

  async #carryOut(set: StatefulSet, next: Plan, pass: Pass, events: StatefulSetEvents): Promise<Outcome> {
    if (next.unresizable !== undefined && isNews(set, next)) events.cannotUpdateClaim(next.unresizable.claim, next.unresizable.why);
    const result = await pass.runAfterGroundwork(next.groundwork, this.#stagesOf(next), nameOfPod);
    const refused = firstRefusal(result, 'slots', 'update', 'upkeep');
    const conclusion = refused === undefined ? next : { ...next, ...afterRefusal(refused, next) };
    return pass.conclude(isGrounded(result) ? conclusion : { ...conclusion, housekeeping: [] }, errorsOf(result, next));
  }

  /** @param uid of the owner of a Pod that no longer counts in quotas */
  freed(uid: string | undefined): void {
    this.#refusals.freed(uid);
  }

  /** Called for every StatefulSet that is deleted. */
  forget({ metadata }: StatefulSet): void {
    this.#refusals.forget(metadata.uid ?? '');
    this.#memory.forget(metadata.uid ?? '');
    this.#doubts.forget(metadata.uid ?? '');
  }
}

/** Whether the history may be cleaned up: whatever belongs to the StatefulSet is its own. */
const isGrounded = ({ stages }: PlanResult<Action>): boolean => stages.get('groundwork')?.error === undefined;

/** Told once: a retry finds in the condition what it would say. */
const isNews = ({ status }: StatefulSet, { unresizable, failures }: Plan): boolean =>
  unresizable?.why === failures.update?.message &&
  !(status?.conditions ?? []).some(
    ({ type, message }) => type === conditionTypes.failedUpdatePod && message?.endsWith(unresizable?.why ?? ''),
  );

const asFailure = (failure: { readonly message: string } | undefined): Error | undefined =>
  failure === undefined ? undefined : new Error(failure.message);

/** What went wrong, by what it is for: an action that was refused says more than what was planned around. */
function errorsOf({ stages }: PlanResult<Action>, { failures }: Plan): PassErrors {
  const errorIn = (...names: readonly string[]): Error | undefined => mostTelling(names.flatMap((stage) => stages.get(stage)?.error ?? []));
  const slots = stages.get('slots')?.failures ?? [];
  const isCreation = ({ kind }: Action): boolean => kind === 'CreatePod' || kind === 'CreateClaims';
  const created = mostTelling(slots.filter(({ action }) => isCreation(action)).map(({ error }) => error));
  const repaired = mostTelling(slots.filter(({ action }) => !isCreation(action)).map(({ error }) => error));
  return {
    scale:
      mostTelling([errorIn('groundwork'), created].filter((error) => error !== undefined)) ??
      errorIn('deletions') ??
      asFailure(failures.scale),
    update: repaired ?? errorIn('claimOwners', 'upkeep', 'update') ?? asFailure(failures.update),
  };
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches, gates } = dependencies;
  const sources = {
    sets: caches.of(statefulSets),
    pods: caches.of(pods, byController, orphansByParent, podsByNode),
    claims: caches.of(persistentVolumeClaims),
    revisions: caches.of(controllerRevisions, byController),
    nodes: caches.of(nodes),
  };
  const classes = gates.StatefulSetAutoResizePVCGate ? caches.of(storageClasses) : undefined;
  const jobs = pullsImagesAhead(dependencies) ? caches.of(imagePullJobs, byController) : undefined;
  const stores: Stores = {
    sets: sources.sets.store,
    pods: sources.pods.store,
    claims: sources.claims.store,
    revisions: sources.revisions.store,
    nodes: sources.nodes.store,
    ...(classes === undefined ? {} : { classes: classes.store }),
    ...(jobs === undefined ? {} : { imagePullJobs: jobs.store }),
  };
  const reconciler = new StatefulSetReconciler(dependencies, stores);
  const { sets } = stores;
  const seen = { workloads: sets, isScalingOn: dependencies.resourceWriting !== 'Ignored' };
  return {
    watches: [
      onEvent(sources.pods, (event) => reconciler.freed(freesQuotaOf(event))),
      onEvent(sources.sets, ({ kind, object }) => {
        if (kind === 'Deleted') reconciler.forget(object);
      }),
      watchInformer(sources.sets, enqueueSelf),
      watchInformer(sources.pods, (event) => (isIgnorable(event, statefulSets, seen) ? [] : gathered(setsOfPod(event, sets), sets))),
      watchInformer(sources.claims, (event) => gathered(setsOfClaim(event, sets), sets)),
      watchInformer(sources.revisions, (event) => usersOfRevision(event, statefulSets, { workloads: sets })),
      watchInformer(sources.nodes, (event) => gathered(ownersOnNode(event, statefulSets, stores.pods), sets)),
    ],
    caches: [...(classes === undefined ? [] : [classes]), ...(jobs === undefined ? [] : [jobs])],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

export const statefulSetController: ControllerModule = { name, workers: 'statefulset-workers', define };
