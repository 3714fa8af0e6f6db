/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/daemonset.md 5.1, 5.2 */
import { daemonSetDeclaration, daemonSets, imagePullJobs, type DaemonSet, type DaemonSetStatus } from '@kruise/api';
import {
  enqueueSelf,
  mostTelling,
  onEvent,
  ownerKey,
  settled,
  watchInformer,
  type Outcome,
  type PlanResult,
  type Stage,
} from '@kruise/kube';
import { controllerRevisions, nodes, pods, type ObjectKey } from '@kruise/objects';
import { byController } from '../../caches/by-owner.ts';
import { podsByNode } from '../../caches/pods-by-node.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { afterRefusal, firstRefusal, updateGuardOf } from '../../workloads/admit-updates.ts';
import { InDoubt, whileInDoubt } from '../../workloads/in-doubt.ts';
import { freesQuotaOf, isIgnorable, usersOfRevision } from '../../workloads/pod-events.ts';
import { pullsImagesAhead } from '../../workloads/pull-ahead-writes.ts';
import type { PassErrors } from '../../workloads/refusal.ts';
import { RefusedObjects } from '../../workloads/refused-objects.ts';
import { StatusMemory } from '../../workloads/status-memory.ts';
import { WorkloadPass, type PassKind, type PassTools } from '../../workloads/workload-pass.ts';
import { nodeOfAction, type Action } from './action.ts';
import { daemonSetEvents, type DaemonSetEvents } from './events.ts';
import { execute } from './execute.ts';
import { FailedPods } from './failed-pods.ts';
import { GonePods } from './gone-pods.ts';
import type { Io } from './io.ts';
import { observe, type Sources, type Stores } from './observe.ts';
import { plan, type Plan } from './plan.ts';
import { hashOfPods } from './revisions.ts';
import type { Context } from './snapshot.ts';
import { heldStatus, isStatusChanged, pacedStatus, withFailures, withoutUpdateRevision } from './status.ts';
import { burstFaultOf } from './strategy.ts';
import { gathered, setsOfNode, setsOfPod } from './triggers.ts';
import { examine, selectsAll } from './well-formed.ts';

const name = daemonSetDeclaration.controllerName;

const passKind: PassKind<DaemonSet, DaemonSetStatus> = {
  type: daemonSets,
  heldStatus,
  withoutUpdateRevision,
  withFailures,
  isStatusChanged,
};

type Pass = WorkloadPass<DaemonSet, DaemonSetStatus, Action>;

interface PassParts {
  readonly pass: Pass;
  readonly events: DaemonSetEvents;
}

/** Actions for which a node has its turn: it loses it when one of them is refused. */
const attempted: ReadonlySet<Action['kind']> = new Set([
  'AdoptPod',
  'LabelPod',
  'CreatePod',
  'DeletePod',
  'DeleteFailedPod',
  'SetLifecycle',
  'UpdatePodInPlace',
  'ResizePod',
]);

function subjectsOf(action: Action): readonly string[] {
  const node = attempted.has(action.kind) ? nodeOfAction(action) : undefined;
  return node === undefined ? [] : [node];
}

/** A node that gets no Pod waits, whatever the name of the Pod would be. */
const waitingObjectOf = (action: Action): string | undefined => (action.kind === 'CreatePod' ? nodeOfAction(action) : undefined);

/** What is known of former passes beside what plans look at. */
interface Memories {
  readonly status: StatusMemory<DaemonSetStatus>;
  readonly doubts: InDoubt;
}

class DaemonSetReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #sources: Sources;
  readonly #eventsOf: (set: DaemonSet) => DaemonSetEvents;
  readonly #memory: StatusMemory<DaemonSetStatus>;
  readonly #doubts: InDoubt;

  constructor(dependencies: ControllerDependencies, sources: Sources, { status, doubts }: Memories) {
    this.#dependencies = dependencies;
    this.#sources = sources;
    this.#memory = status;
    this.#doubts = doubts;
    const recorder = dependencies.recorderFor(name);
    this.#eventsOf = (set) => daemonSetEvents(recorder, set);
  }

  /** One that is being deleted needs nothing: its Pods are the garbage collector's. */
  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const set = this.#sources.sets.get(key);
    if (set === undefined || set.metadata.deletionTimestamp !== undefined) return settled;
    const { clock, gates, resourceWriting, flags } = this.#dependencies;
    const now = clock.now();
    const context: Context = { now, gates, resources: resourceWriting, placedByScheduler: flags['assign-pods-by-scheduler'] };
    const events = this.#eventsOf(set);
    let collisionCount = set.status?.collisionCount ?? 0;
    const { uid = '' } = set.metadata;
    const io: Omit<Io, 'set'> = {
      ...this.#dependencies,
      context,
      events,
      onCollisionCount: (count) => (collisionCount = Math.max(collisionCount, count)),
      triesFirst: this.#sources.refusals.of(uid).size > 0,
      onFailedPod: (node) => this.#noteFailure(set, node),
    };
    const tools: PassTools<DaemonSet, DaemonSetStatus, Action> = {
      ...this.#dependencies,
      store: this.#sources.sets,
      now,
      memory: this.#memory,
      doubts: this.#doubts,
      refusals: this.#sources.refusals,
      subjectsOf,
      objectOf: waitingObjectOf,
      execute: (action, object, during) => execute(action, { ...io, set: object }, during),
    };
    const pass: Pass = new WorkloadPass(passKind, set, tools, signal);
    const examined = examine(set);
    if (examined.kind === 'Malformed')
      return pass.refuse(examined.why, (why) => (selectsAll(set) ? events.selectingAll() : events.invalid(why)));
    if (await pass.isInDoubt()) return whileInDoubt;
    const next = plan(observe(this.#sources, set, examined.selector, now), context);
    return next.revisions.length > 0
      ? pass.makeRevisions(next.revisions, next.status, () => collisionCount)
      : this.#carryOut(set, next, { pass, events });
  }

  #noteFailure({ metadata, status }: DaemonSet, node: string): void {
    const generation = status?.observedGeneration ?? 0;
    this.#sources.failedPods.note({ uid: metadata.uid ?? '', generation, node }, this.#dependencies.clock.now());
  }

  /** What holds for one node says nothing about the next. */
  async #carryOut(set: DaemonSet, next: Plan, { pass, events }: PassParts): Promise<Outcome> {
    const burstFault = burstFaultOf(set);
    if (burstFault !== undefined && set.status?.observedGeneration !== set.metadata.generation) events.invalid(burstFault);
    const { groundwork, preDownload, creations, deletions, replacements, upkeep, update } = next;
    // Pods that are made anew are deleted, and their nodes get others in a later pass.
    const guard = updateGuardOf(this.#dependencies, ['DeletePod']);
    const stages: readonly Stage<Action>[] = [
      { name: 'preDownload', actions: preDownload, onFailure: 'Log', pace: 'ByKind' },
      { name: 'creations', actions: creations, onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreatePod'] },
      { name: 'deletions', actions: deletions, onFailure: 'Collect', pace: 'AtOnce' },
      { name: 'replacements', actions: replacements, onFailure: 'Collect', pace: 'AtOnce', ...guard },
      { name: 'upkeep', actions: upkeep, onFailure: 'Collect', pace: 'ByKind', ...guard },
      { name: 'update', actions: update, onFailure: 'Collect', pace: 'ByKind', ...guard },
    ];
    const result = await pass.runAfterGroundwork(groundwork, stages, nodeOfAction);
    const refused = firstRefusal(result, 'replacements', 'update', 'upkeep');
    const told = refused === undefined ? next : { ...next, ...afterRefusal(refused, next) };
    const isGrounded = result.stages.get('groundwork')?.error === undefined;
    return pass.conclude(isGrounded ? told : { ...told, housekeeping: [] }, errorsOf(result, next));
  }
}

const asFailure = (failure: { readonly message: string } | undefined): Error | undefined =>
  failure === undefined ? undefined : new Error(failure.message);

/** What went wrong, by what it is for. */
function errorsOf({ stages }: PlanResult<Action>, { failures }: Plan): PassErrors {
  const errorIn = (...names: readonly string[]): Error | undefined => mostTelling(names.flatMap((stage) => stages.get(stage)?.error ?? []));
  return {
    scale: errorIn('groundwork', 'creations', 'deletions', 'replacements') ?? asFailure(failures.scale),
    update: errorIn('upkeep', 'update') ?? asFailure(failures.update),
  };
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const sources = {
    sets: caches.of(daemonSets),
    pods: caches.of(pods, byController, podsByNode),
    revisions: caches.of(controllerRevisions, byController),
    nodes: caches.of(nodes),
  };
  const jobs = pullsImagesAhead(dependencies, 'PreDownloadImageForDaemonSetUpdate') ? caches.of(imagePullJobs, byController) : undefined;
  const stores: Stores = {
    sets: sources.sets.store,
    pods: sources.pods.store,
    revisions: sources.revisions.store,
    nodes: sources.nodes.store,
    ...(jobs === undefined ? {} : { imagePullJobs: jobs.store }),
  };
  const memories = {
    failedPods: new FailedPods(),
    gonePods: new GonePods(),
    refusals: new RefusedObjects(dependencies.clock),
    status: new StatusMemory(pacedStatus),
    doubts: new InDoubt(stores.pods, dependencies.flags['expectation-timeout']),
  };
  const reconciler = new DaemonSetReconciler(dependencies, { ...stores, ...memories }, memories);
  const { sets } = stores;
  const seen = { workloads: sets, isScalingOn: dependencies.resourceWriting !== 'Ignored' };
  const ownersOnNode = (node: string): readonly ObjectKey[] =>
    stores.pods.byIndex(podsByNode, node).flatMap((pod) => ownerKey(pod, daemonSets) ?? []);
  return {
    watches: [
      onEvent(sources.pods, (event) => memories.gonePods.note(event, stores)),
      onEvent(sources.pods, (event) => memories.refusals.freed(freesQuotaOf(event))),
      onEvent(sources.sets, ({ kind, object }) => {
        if (kind === 'Deleted') for (const memory of Object.values(memories)) memory.forget(object.metadata.uid ?? '');
      }),
      onEvent(sources.nodes, ({ kind, object }) => {
        if (kind === 'Deleted') memories.gonePods.forgetNode(object.metadata.name);
      }),
      watchInformer(sources.sets, enqueueSelf),
      watchInformer(sources.pods, (event) => (isIgnorable(event, daemonSets, seen) ? [] : gathered(setsOfPod(event, sets), sets))),
      watchInformer(sources.revisions, (event) => usersOfRevision(event, daemonSets, { workloads: sets, idOf: hashOfPods })),
      watchInformer(sources.nodes, (event) => gathered(setsOfNode(event, sets, ownersOnNode), sets)),
    ],
    caches: jobs === undefined ? [] : [jobs],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

export const daemonSetController: ControllerModule = { name, workers: 'daemonset-workers', define };
