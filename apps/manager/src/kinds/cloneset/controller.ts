/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/cloneset.md 5.1, 5.2 */
import { cloneSetDeclaration, cloneSets, imagePullJobs, type CloneSet } from '@kruise/api';
import {
  afterFailure,
  asError,
  distinctKeys,
  enqueueOwner,
  enqueueSelf,
  gatheringOf,
  giveUp,
  lookAgain,
  nextLook,
  ownerKey,
  runPlan,
  settled,
  watchInformer,
  writeStatus,
  type Outcome,
  type PlanResult,
  type Request,
  type Stage,
  type StoreEvent,
} from '@kruise/kube';
import {
  controllerOf,
  controllerRevisions,
  earliest,
  formatKey,
  isNodeLost,
  keyOf,
  labelMatcherOf,
  milliseconds,
  nodes,
  persistentVolumeClaims,
  pods,
  type ControllerRevision,
  type Node,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import type { Action } from './action.ts';
import { causeOfPass, mayMatter, withBlocking, type BlockingCause } from '@kruise/workloads';
import { cloneSetEvents, type CloneSetEvents } from './events.ts';
import { execute } from './execute.ts';
import type { Io } from './io.ts';
import { observe, type Stores } from './observe.ts';
import { plan, type Note, type Plan } from './plan.ts';
import { byController, byOwner } from '../../caches/by-owner.ts';
import { podsByNode } from '../../caches/pods-by-node.ts';
import { guardOfUpdates, refusalByGuard, refusedFor } from '../../workloads/admit-updates.ts';
import { rememberCollisions } from '../../workloads/collision-count.ts';
import { failuresOf, type PassErrors } from '../../workloads/refusal.ts';
import type { Context } from './snapshot.ts';
import { heldStatus, isStatusChanged, withFailures, withoutUpdateRevision } from './status.ts';
import { VanishedPods } from './vanished-pods.ts';
import { examine } from './well-formed.ts';

const name = cloneSetDeclaration.controllerName;

/** Old and new owner of a Pod, claim or revision, so that a CloneSet hears of what it lost. */
const ownersOf = enqueueOwner(cloneSets);

class CloneSetReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #stores: Stores;
  readonly #eventsOf: (cloneSet: CloneSet) => CloneSetEvents;

  constructor(dependencies: ControllerDependencies, stores: Stores) {
    this.#dependencies = dependencies;
    this.#stores = stores;
    const recorder = dependencies.recorderFor(name);
    this.#eventsOf = (cloneSet) => cloneSetEvents(recorder, cloneSet);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const cloneSet = this.#stores.cloneSets.get(key);
    if (cloneSet === undefined) return settled;
    const examined = examine(cloneSet);
    if (examined.kind === 'Malformed') return this.#refuse(cloneSet, examined.why, signal);
    const context = this.#context();
    const next = plan(observe(this.#stores, cloneSet, examined.selector), context);
    let collisionCount = next.status.collisionCount ?? 0;
    const io: Io = {
      ...this.#dependencies,
      cloneSet,
      context,
      events: this.#eventsOf(cloneSet),
      onCollisionCount: (count) => (collisionCount = Math.max(collisionCount, count)),
    };
    if (next.revisions.length === 0) return this.#carryOut(next, io, signal);
    const { error } = await this.#run([{ name: 'revisions', actions: next.revisions, onFailure: 'Stop', pace: 'ByKind' }], io, signal);
    await rememberCollisions(
      this.#dependencies.client,
      cloneSets,
      { object: cloneSet, collisionCount, required: heldStatus(cloneSet) },
      signal,
    );
    if (error === undefined) return lookAgain(milliseconds(0));
    const status = withoutUpdateRevision(cloneSet, next.status);
    return this.#conclude({ status, housekeeping: [] }, { update: error }, io, signal);
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

  #run(stages: readonly Stage<Action>[], io: Io, signal: AbortSignal): Promise<PlanResult<Action>> {
    const { logger } = this.#dependencies;
    const about = { cloneSet: formatKey(keyOf(io.cloneSet)) };
    return runPlan(stages, { execute: (action, during) => execute(action, io, during), logger, about }, signal);
  }

  /** Scaling that failed before it did anything leaves updates to go on; both failures are told. */
  #stagesOf({ groundwork, preDownload, scale, update }: Plan): readonly Stage<Action>[] {
    const { gates, updateGuard } = this.#dependencies;
    const guard = gates.PodUnavailableBudgetUpdateGate && updateGuard !== undefined ? { guard: guardOfUpdates(updateGuard) } : {};
    return [
      { name: 'groundwork', actions: groundwork, onFailure: 'Stop', pace: 'ByKind' },
      { name: 'preDownload', actions: preDownload, onFailure: 'Log', pace: 'ByKind' },
      { name: 'scale', actions: scale, onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreatePod'] },
      { name: 'update', actions: update, unless: ['scale'], onFailure: 'EndStage', pace: 'ByKind', ...guard },
    ];
  }

  async #carryOut(next: Plan, io: Io, signal: AbortSignal): Promise<Outcome> {
    for (const note of next.notes) tell(io.events, note);
    const { stages, stoppedAt } = await this.#run(this.#stagesOf(next), io, signal);
    const [ground, scaled, updated] = [stages.get('groundwork'), stages.get('scale'), stages.get('update')];
    if (stoppedAt !== undefined) return this.#conclude({ ...next, housekeeping: [] }, { scale: ground?.error }, io, signal);
    const failure = updated === undefined || next.updateFailure === undefined ? undefined : new Error(next.updateFailure);
    const conclusion = updated?.refused === undefined ? next : refusedConclusion(next, refusalByGuard(updated.refused));
    return this.#conclude(conclusion, { scale: scaled?.error, update: updated?.error ?? failure }, io, signal);
  }

  /** Says in the status what stopped the pass, whichever part of it that was, and in the outcome when to try again. */
  async #conclude(next: Conclusion, errors: PassErrors, io: Io, signal: AbortSignal): Promise<Outcome> {
    const failures = failuresOf(errors);
    const failed = withFailures(next.status, failures, io.context.now);
    const status = withBlocking(failed, causeOfPass(failures, next.blockedBy), io.context.now);
    const statusError = await this.#writeStatus(io.cloneSet, status, signal);
    if (statusError === undefined) await this.#tidyUp(next.housekeeping, io, signal);
    const error = errors.scale ?? errors.update ?? statusError;
    if (error !== undefined) return afterFailure(error);
    return nextLook(next.lookAgainAfter);
  }

  /** On the CloneSet as its own status write has left it. */
  async #tidyUp(housekeeping: readonly Action[], io: Io, signal: AbortSignal): Promise<void> {
    const cloneSet = this.#stores.cloneSets.get(keyOf(io.cloneSet)) ?? io.cloneSet;
    await this.#run([{ name: 'housekeeping', actions: housekeeping, onFailure: 'Log', pace: 'ByKind' }], { ...io, cloneSet }, signal);
  }

  /** @returns the error, if any; a CloneSet that is gone needs no status */
  async #writeStatus(cloneSet: CloneSet, status: NonNullable<CloneSet['status']>, signal: AbortSignal): Promise<Error | undefined> {
    if (!isStatusChanged(cloneSet, status)) return undefined;
    const object = this.#stores.cloneSets.get(keyOf(cloneSet)) ?? cloneSet;
    try {
      await writeStatus(this.#dependencies.client, cloneSets, { object, status, how: 'Replace' }, signal);
      return undefined;
    } catch (error) {
      return asError(error);
    }
  }

  /** What cannot be planned for is said in a condition and an event; nothing else happens until the object changes. */
  async #refuse(cloneSet: CloneSet, why: string, signal: AbortSignal): Promise<Outcome> {
    const now = this.#dependencies.clock.now();
    const seen = { ...heldStatus(cloneSet), observedGeneration: cloneSet.metadata.generation ?? 0 };
    const failed = withFailures(seen, { scale: { message: why } }, now);
    const status = withBlocking(failed, { reason: 'InvalidSpec', message: why }, now);
    if (isStatusChanged(cloneSet, status)) this.#eventsOf(cloneSet).invalid(why);
    const error = await this.#writeStatus(cloneSet, status, signal);
    return error === undefined ? giveUp(new Error(why)) : afterFailure(error);
  }
}

/** What is left of a pass once its actions are done, or were refused. */
type Conclusion = Pick<Plan, 'status' | 'housekeeping' | 'blockedBy' | 'lookAgainAfter'>;

const refusedConclusion = (next: Plan, blockedBy: BlockingCause): Conclusion => ({
  ...next,
  blockedBy,
  ...earliest([next.lookAgainAfter, refusedFor]),
});

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

/** Owners of a revision that went, and those that use it without owning it. */
function usersOfRevision(event: StoreEvent<ControllerRevision>, stores: Stores): readonly ObjectKey[] {
  if (event.kind !== 'Deleted') return [];
  const { name, namespace = '' } = event.object.metadata;
  const users = stores.cloneSets.list({ namespace }).filter(({ status }) => status?.updateRevision === name);
  return distinctKeys([...ownersOf(event), ...users.map(keyOf)]);
}

/** Changes of Pods come in swarms: one pass answers those of a while. */
const withPause = (keys: readonly ObjectKey[], { cloneSets: known }: Stores): readonly Request[] =>
  keys.map((key) => ({ key, after: gatheringOf(known.get(key)?.spec.replicas ?? 1) }));

/** A node that is lost, or is back, changes nothing in Pods that were not ready anyway: what they wait for changes all the same. */
function ownersOnNode(event: StoreEvent<Node>, stores: Stores): readonly Request[] {
  if (event.kind !== 'Updated' || isNodeLost(event.object) === isNodeLost(event.previous)) return [];
  const keys = stores.pods.byIndex(podsByNode, event.object.metadata.name).flatMap((pod) => ownerKey(pod, cloneSets) ?? []);
  return withPause(distinctKeys(keys), stores);
}

function matches(cloneSet: CloneSet, pod: Pod): boolean {
  const parsed = labelMatcherOf(cloneSet.spec.selector);
  return parsed.kind === 'Matcher' && parsed.matcher.matches(pod.metadata.labels);
}

/** An update of a Pod of ours that no rule looks at. */
function isIgnorable(event: StoreEvent<Pod>, { resourceWriting }: ControllerDependencies, stores: Stores): boolean {
  const owner = ownerKey(event.object, cloneSets);
  if (event.kind !== 'Updated' || owner === undefined) return false;
  const lifecycle = stores.cloneSets.get(owner)?.spec.lifecycle;
  return !mayMatter(event.previous, event.object, { lifecycle, isScalingOn: resourceWriting !== 'Ignored' });
}

/** @see spec/manager.md 5.2 */
const pullsImagesAhead = ({ gates, installed }: ControllerDependencies): boolean =>
  gates.PreDownloadImageForInPlaceUpdate && gates.KruiseDaemon && installed(imagePullJobs.group, imagePullJobs.version, imagePullJobs.kind);

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
  const stores: Stores = {
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
    dependencies.gates.CloneSetEventHandlerOptimization && isIgnorable(event, dependencies, stores);
  return {
    watches: [
      ...vanished.watches(sources.pods),
      watchInformer(sources.cloneSets, enqueueSelf),
      watchInformer(sources.pods, (event) => (isIdle(event) ? [] : withPause([...ownersOf(event), ...orphanKeys(event, stores)], stores))),
      watchInformer(sources.claims, ownersOf),
      watchInformer(sources.revisions, (event) => usersOfRevision(event, stores)),
      watchInformer(sources.nodes, (event) => ownersOnNode(event, stores)),
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
