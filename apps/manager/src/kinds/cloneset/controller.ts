/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/cloneset.md 5.1, 5.2 */
import { cloneSetDeclaration, cloneSets, imagePullJobs, type CloneSet, type CloneSetStatus } from '@kruise/api';
import {
  enqueueOwner,
  enqueueSelf,
  gatheringOf,
  mostTelling,
  onEvent,
  settled,
  watchInformer,
  type Outcome,
  type Request,
  type Stage,
  type StageResult,
  type StoreEvent,
} from '@kruise/kube';
import {
  controllerOf,
  controllerRevisions,
  deepEqual,
  earliest,
  keyOf,
  labelMatcherOf,
  nodes,
  persistentVolumeClaims,
  pods,
  type ObjectKey,
  type PersistentVolumeClaim,
  type Pod,
} from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { anyUpdate, subjectOf, subjectsOf, type Action } from './action.ts';
import { cloneSetEvents, type CloneSetEvents } from './events.ts';
import { execute } from './execute.ts';
import type { Io } from './io.ts';
import { observe, type Stores } from './observe.ts';
import { plan, type Note, type Plan } from './plan.ts';
import { byController, byOwner } from '../../caches/by-owner.ts';
import { podsByNode } from '../../caches/pods-by-node.ts';
import { causeOfRefusal, refusedFor, updateGuardOf } from '../../workloads/admit-updates.ts';
import { InDoubt, whileInDoubt } from '../../workloads/in-doubt.ts';
import { freesQuotaOf, isIgnorable, ownersOnNode, usersOfRevision } from '../../workloads/pod-events.ts';
import { pullsImagesAhead } from '../../workloads/pull-ahead-writes.ts';
import { RefusedObjects } from '../../workloads/refused-objects.ts';
import { StatusMemory } from '../../workloads/status-memory.ts';
import { ToldRefusals } from '../../workloads/told-refusals.ts';
import { WorkloadPass, type PassKind, type PassTools } from '../../workloads/workload-pass.ts';
import type { Context } from './snapshot.ts';
import { heldStatus, isStatusChanged, pacedStatus, withFailures, withoutUpdateRevision } from './status.ts';
import { VanishedPods } from './vanished-pods.ts';
import { examine } from './well-formed.ts';

const name = cloneSetDeclaration.controllerName;

/** Old and new owner of a Pod, claim or revision, so that a CloneSet hears of what it lost. */
const ownersOf = enqueueOwner(cloneSets);

const passKind: PassKind<CloneSet, CloneSetStatus> = {
  type: cloneSets,
  heldStatus,
  withoutUpdateRevision,
  withFailures,
  isStatusChanged,
};

type Pass = WorkloadPass<CloneSet, CloneSetStatus, Action>;

class CloneSetReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #stores: Stores;
  readonly #refusals: RefusedObjects;
  readonly #memory = new StatusMemory(pacedStatus);
  readonly #doubts: InDoubt;
  readonly #told = new ToldRefusals<Action>();
  readonly #eventsOf: (cloneSet: CloneSet) => CloneSetEvents;

  constructor(dependencies: ControllerDependencies, stores: Omit<Stores, 'refusals'>) {
    this.#dependencies = dependencies;
    this.#refusals = new RefusedObjects(dependencies.clock);
    this.#stores = { ...stores, refusals: this.#refusals };
    this.#doubts = new InDoubt(stores.pods, dependencies.flags['expectation-timeout']);
    const recorder = dependencies.recorderFor(name);
    this.#eventsOf = (cloneSet) => cloneSetEvents(recorder, cloneSet);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const cloneSet = this.#stores.cloneSets.get(key);
    if (cloneSet === undefined) return settled;
    const { uid = '' } = cloneSet.metadata;
    const context = this.#context();
    const events = this.#eventsOf(cloneSet);
    let collisionCount = cloneSet.status?.collisionCount ?? 0;
    const io: Omit<Io, 'cloneSet'> = {
      ...this.#dependencies,
      context,
      events,
      triesFirst: this.#refusals.isRefused(uid, anyUpdate),
      onCollisionCount: (count) => (collisionCount = Math.max(collisionCount, count)),
    };
    const tools: PassTools<CloneSet, CloneSetStatus, Action> = {
      ...this.#dependencies,
      store: this.#stores.cloneSets,
      now: context.now,
      memory: this.#memory,
      doubts: this.#doubts,
      refusals: this.#refusals,
      subjectsOf,
      execute: (action, object, during, client) => execute(action, { ...io, client, cloneSet: object }, during),
    };
    const pass: Pass = new WorkloadPass(passKind, cloneSet, tools, signal);
    const examined = examine(cloneSet);
    if (examined.kind === 'Malformed') return pass.refuse(examined.why, (why) => events.invalid(why));
    if (await pass.isInDoubt()) return whileInDoubt;
    const next = plan(observe(this.#stores, cloneSet, examined.selector), context);
    return next.revisions.length > 0
      ? pass.makeRevisions(next.revisions, next.status, () => collisionCount)
      : this.#carryOut(next, pass, { uid, events });
  }

  #context(): Context {
    const { clock, gates, flags, resourceWriting } = this.#dependencies;
    return {
      now: clock.now(),
      gates,
      excludePreparingDelete: flags['cloneset-scaling-exclude-preparing-delete'],
      resources: resourceWriting,
    };
  }

  /** What is refused for one object holds up no other; scaling that failed before it wrote anything leaves updates to go on, and both are told. */
  #stagesOf({ groundwork, preDownload, scale, update }: Plan): readonly Stage<Action>[] {
    return [
      { name: 'groundwork', actions: groundwork, onFailure: 'Collect', pace: 'ByKind' },
      { name: 'preDownload', actions: preDownload, onFailure: 'Log', pace: 'ByKind' },
      { name: 'scale', actions: scale, onFailure: 'Collect', pace: 'ByKind', slowly: ['CreatePod'] },
      { name: 'update', actions: update, unless: ['scale'], onFailure: 'Collect', pace: 'ByKind', ...updateGuardOf(this.#dependencies) },
    ];
  }

  async #carryOut(next: Plan, pass: Pass, { uid, events }: { readonly uid: string; readonly events: CloneSetEvents }): Promise<Outcome> {
    for (const note of next.notes) tell(events, note);
    const { stages } = await pass.run(this.#stagesOf(next));
    const [ground, scaled, updated] = [stages.get('groundwork'), stages.get('scale'), stages.get('update')];
    const refused = this.#refusedBy(uid, updated);
    const impossible = updated === undefined || next.updateFailure === undefined ? undefined : new Error(next.updateFailure);
    const scale = mostTelling([ground?.error, scaled?.error].filter((error) => error !== undefined));
    const update = updated?.error ?? impossible;
    return pass.conclude({ ...next, ...refused, ...earliest([next.lookAgainAfter, refused.lookAgainAfter]) }, { scale, update });
  }

  /** What a guard refused in this pass, or before it: what the status says of it, and when it is asked again. */
  #refusedBy(uid: string, updated: StageResult<Action> | undefined): Partial<Pick<Plan, 'blockedBy' | 'lookAgainAfter'>> {
    for (const action of updated?.allRefused ?? []) this.#refusals.note(uid, subjectOf(action));
    const isRefused = (action: Action): boolean => this.#refusals.isRefused(uid, subjectOf(action));
    const told = this.#told.after(uid, updated, isRefused);
    return {
      ...(told === undefined ? {} : { blockedBy: causeOfRefusal(told) }),
      ...(updated?.refused === undefined ? {} : { lookAgainAfter: refusedFor }),
    };
  }

  /** @param uid of the owner of a Pod that no longer counts in quotas */
  freed(uid: string | undefined): void {
    this.#refusals.freed(uid);
  }

  /** Called for every CloneSet that is deleted. */
  forget({ metadata: { uid = '' } }: CloneSet): void {
    this.#refusals.forget(uid);
    this.#memory.forget(uid);
    this.#doubts.forget(uid);
    this.#told.forget(uid);
  }
}

function tell(events: CloneSetEvents, note: Note): void {
  if (note.kind === 'ScaleUpLimited') events.scaleUpLimited(note.limit);
  else events.waitingForNames(note.names);
}

/** Orphans wake every CloneSet of their namespace whose selector matches, when they appear and when labels or owner change. */
function orphanKeys(event: StoreEvent<Pod>, stores: Stores): readonly ObjectKey[] {
  const { object } = event;
  if (event.kind === 'Deleted' || controllerOf(object) !== undefined) return [];
  const isSame =
    event.kind === 'Updated' && event.previous.metadata.labels === object.metadata.labels && controllerOf(event.previous) === undefined;
  if (isSame) return [];
  const candidates = stores.cloneSets.list({ namespace: object.metadata.namespace ?? '' });
  return candidates.filter((cloneSet) => matches(cloneSet, object)).map(keyOf);
}

/**
 * Whether a claim may be missing, or one too many, by now. A claim that appears, or that a volume is bound to, calls for nothing: the news of a claim
 * which the CloneSet made itself must not overtake the wait after its Pod was refused.
 */
function isClaimChanged(event: StoreEvent<PersistentVolumeClaim>): boolean {
  if (event.kind !== 'Updated') return event.kind === 'Deleted';
  const [before, now] = [event.previous.metadata, event.object.metadata];
  return before.deletionTimestamp !== now.deletionTimestamp || !deepEqual(before.ownerReferences, now.ownerReferences);
}

/** Changes of Pods come in swarms: one pass answers those of a while. */
const withPause = (keys: readonly ObjectKey[], { cloneSets: known }: Stores): readonly Request[] =>
  keys.map((key) => ({ key, after: gatheringOf(known.get(key)?.spec.replicas ?? 1) }));

function matches(cloneSet: CloneSet, pod: Pod): boolean {
  const parsed = labelMatcherOf(cloneSet.spec.selector);
  return parsed.kind === 'Matcher' && parsed.matcher.matches(pod.metadata.labels);
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const sources = {
    cloneSets: caches.of(cloneSets),
    pods: caches.of(pods, byOwner, podsByNode),
    claims: caches.of(persistentVolumeClaims, byOwner),
    revisions: caches.of(controllerRevisions, byController),
    nodes: caches.of(nodes),
  };
  const jobs = pullsImagesAhead(dependencies) ? caches.of(imagePullJobs, byOwner) : undefined;
  const vanished = new VanishedPods(sources.cloneSets);
  const stores: Omit<Stores, 'refusals'> = {
    cloneSets: sources.cloneSets.store,
    pods: sources.pods.store,
    claims: sources.claims.store,
    revisions: sources.revisions.store,
    nodes: sources.nodes.store,
    vanished,
    ...(jobs === undefined ? {} : { imagePullJobs: jobs.store }),
  };
  const reconciler = new CloneSetReconciler(dependencies, stores);
  const isIdle = (event: StoreEvent<Pod>): boolean =>
    dependencies.gates.CloneSetEventHandlerOptimization &&
    isIgnorable(event, cloneSets, { workloads: stores.cloneSets, isScalingOn: dependencies.resourceWriting !== 'Ignored' });
  return {
    watches: [
      ...vanished.watches(sources.pods),
      onEvent(sources.pods, (event) => reconciler.freed(freesQuotaOf(event))),
      onEvent(sources.cloneSets, ({ kind, object }) => {
        if (kind === 'Deleted') reconciler.forget(object);
      }),
      watchInformer(sources.cloneSets, enqueueSelf),
      watchInformer(sources.pods, (event) => (isIdle(event) ? [] : withPause([...ownersOf(event), ...orphanKeys(event, stores)], stores))),
      watchInformer(sources.claims, (event) => (isClaimChanged(event) ? ownersOf(event) : [])),
      watchInformer(sources.revisions, (event) => usersOfRevision(event, cloneSets, { workloads: stores.cloneSets })),
      watchInformer(sources.nodes, (event) => withPause(ownersOnNode(event, cloneSets, stores.pods), stores)),
    ],
    caches: jobs === undefined ? [] : [jobs],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

export const cloneSetController: ControllerModule = {
  name,
  workers: 'cloneset-workers',
  define,
};
