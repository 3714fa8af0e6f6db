/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/sidecarset.md 5.5 */
import { sidecarSetDeclaration, sidecarSets, type SidecarSet } from '@kruise/api';
import {
  afterConflict,
  afterFailure,
  asError,
  isFailure,
  lookAgain,
  nextLook,
  onEvent,
  outcomeOf,
  runPlan,
  settled,
  watchInformer,
  writeStatus,
  type Outcome,
  type PlanResult,
  type Stage,
  type StageResult,
} from '@kruise/kube';
import { controllerRevisions, formatKey, keyOf, milliseconds, namespaces, pods, type ObjectKey, type Pod } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { newestOf } from '../../writes/status-writes.ts';
import { sidecarSetEvents, type SidecarSetEvents } from './events.ts';
import type { Action } from './action.ts';
import { execute, type Io } from './execute.ts';
import { InDoubt } from './in-doubt.ts';
import { byInjected, bySidecarSetName, observe, type Stores } from './observe.ts';
import { KnownMembers } from './known-members.ts';
import { plan, type Plan } from './plan.ts';
import { requestsOfPod, requestsOfSidecarSet } from './pod-watch.ts';
import type { Context } from './snapshot.ts';
import { isStatusChanged } from './status.ts';
import { afterRefusal, updateGuardOf } from '../../workloads/admit-updates.ts';
import { RefusedObjects, triedAgainWithin } from '../../workloads/refused-objects.ts';
import { rememberCollisions } from '../../workloads/collision-count.ts';

const name = sidecarSetDeclaration.controllerName;

const whileInDoubt = lookAgain(milliseconds(1000));

/** What a first status cannot do without. */
const noPods = { matchedPods: 0, readyPods: 0, updatedPods: 0 };

class SidecarSetReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #stores: Stores;
  readonly #events: SidecarSetEvents;
  readonly #inDoubt: InDoubt;
  readonly #known = new KnownMembers();
  readonly #context: Context = { memberOf: (pod, view) => this.#known.memberOf(pod, view) };
  /** By uid of a SidecarSet that exists: the generation whose Pods that cannot be upgraded were told of. */
  readonly #told = new Map<string, number>();
  /** The same of those that a budget keeps, and of those whose update is refused. */
  readonly #toldRefused = new Map<string, number>();
  readonly #toldFailed = new Map<string, number>();
  readonly #refusals = new RefusedObjects();

  constructor(dependencies: ControllerDependencies, stores: Stores) {
    this.#dependencies = dependencies;
    this.#stores = stores;
    this.#events = sidecarSetEvents(dependencies.recorderFor(name));
    this.#inDoubt = new InDoubt(stores.pods, dependencies.flags['expectation-timeout']);
  }

  /** Called for every SidecarSet that is deleted. */
  forget({ metadata }: SidecarSet): void {
    this.#told.delete(metadata.uid ?? '');
    this.#toldRefused.delete(metadata.uid ?? '');
    this.#toldFailed.delete(metadata.uid ?? '');
    this.#refusals.forget(metadata.uid ?? '');
    this.#known.forget(metadata.uid ?? '');
    this.#inDoubt.forget(metadata.name);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const sidecarSet = this.#stores.sidecarSets.get(key);
    if (sidecarSet === undefined || sidecarSet.metadata.deletionTimestamp !== undefined) return settled;
    const next = plan(observe(this.#stores, sidecarSet, this.#dependencies.podNamespace, this.#refusals), this.#context);
    const io = this.#io(next);
    const revisions = await this.#run(
      [{ name: 'revisions', actions: next.revisions, onFailure: 'Collect', pace: 'AtOnce' }],
      next,
      io,
      signal,
    );
    await rememberCollisions(
      this.#dependencies.client,
      sidecarSets,
      { object: sidecarSet, collisionCount: io.collisionCount, required: noPods },
      signal,
    );
    if (next.revisions.length > 0) return outcomeOf(revisions, afterConflict);
    const statusError = await this.#writeStatus(sidecarSet, next, signal);
    await this.#run([{ name: 'housekeeping', actions: next.housekeeping, onFailure: 'Log', pace: 'AtOnce' }], next, io, signal);
    if (statusError !== undefined) return afterFailure(statusError);
    return this.#carryOut(sidecarSet, next, io, signal);
  }

  #run(stages: readonly Stage<Action>[], { view }: Plan, io: Io, signal: AbortSignal): Promise<PlanResult<Action>> {
    const { logger } = this.#dependencies;
    const { uid = '' } = view.object.metadata;
    const doOne = (action: Action, during: AbortSignal): Promise<void> =>
      this.#refusals.attempt(uid, uidsOf(changedPod(action)), () => execute(action, io, during));
    return runPlan(stages, { execute: doOne, logger, about: { sidecarSet: view.name } }, signal);
  }

  #io({ view, latest }: Plan): Io & { collisionCount: number } {
    const { client, clock } = this.#dependencies;
    const io = {
      client,
      clock,
      events: this.#events,
      update: { view, latestRevision: latest.metadata.name },
      collisionCount: 0,
      onCollisionCount: (count: number): void => void (io.collisionCount = count),
    };
    return io;
  }

  async #carryOut(sidecarSet: SidecarSet, next: Plan, io: Io, signal: AbortSignal): Promise<Outcome> {
    this.#tell(sidecarSet, next);
    if (await this.#inDoubt.remains(sidecarSet.metadata.name, io.client, this.#dependencies.clock.now(), signal)) return whileInDoubt;
    const result = await this.#run(
      [
        { name: 'conditions', actions: next.conditions, onFailure: 'Collect', pace: 'AtOnce' },
        { name: 'changes', actions: next.changes, onFailure: 'Collect', pace: 'AtOnce', ...updateGuardOf(this.#dependencies) },
      ],
      next,
      io,
      signal,
    );
    const changes = result.stages.get('changes');
    if (changes !== undefined) this.#remember(sidecarSet, changes);
    const refused = changes?.refused === undefined ? undefined : afterRefusal(changes.refused, {});
    if (refused !== undefined) tellOnce(this.#toldRefused, sidecarSet, () => this.#events.refused(sidecarSet, refused.blockedBy.message));
    const after = refused?.lookAgainAfter;
    return result.error === undefined ? nextLook(after) : afterFailure(result.error, after ?? triedAgainWithin);
  }

  #remember(sidecarSet: SidecarSet, { failures, allRefused }: StageResult<Action>): void {
    const { uid = '' } = sidecarSet.metadata;
    for (const { action, error } of failures) if ('pod' in action) this.#noteFailure(sidecarSet, action.pod, error);
    for (const action of allRefused) this.#refusals.note(uid, changedPod(action)?.metadata.uid);
  }

  #noteFailure(sidecarSet: SidecarSet, pod: Pod, error: Error): void {
    if (isFailure(error, 'Conflict')) return;
    this.#dependencies.logger.warn({ sidecarSet: sidecarSet.metadata.name, pod: keyOf(pod), error }, 'A Pod was not updated');
    if (isFailure(error, 'Unreachable')) this.#doubt(sidecarSet, pod);
    else
      tellOnce(this.#toldFailed, sidecarSet, () =>
        this.#events.failedToUpdate(sidecarSet, `Pod ${formatKey(keyOf(pod))} was not updated: ${error.message}`),
      );
  }

  /** An action may write twice: what it wrote before is in the store. */
  #doubt({ metadata }: SidecarSet, pod: Pod): void {
    this.#inDoubt.add(metadata.name, this.#stores.pods.get(keyOf(pod)) ?? pod, this.#dependencies.clock.now());
  }

  /** Once for each generation, and whenever Pods join those that cannot be upgraded. */
  #tell(sidecarSet: SidecarSet, { notUpgradable, conditions }: Plan): void {
    const { uid = '', generation = 0 } = sidecarSet.metadata;
    const isNews = conditions.some((action) => action.kind === 'SetUpgradable' && !action.upgradable) || this.#told.get(uid) !== generation;
    if (notUpgradable === 0 || !isNews) return;
    this.#told.set(uid, generation);
    this.#events.notUpgradable(sidecarSet, notUpgradable);
  }

  /** @returns the error, if any; a SidecarSet that is gone needs no status */
  async #writeStatus(sidecarSet: SidecarSet, { status }: Plan, signal: AbortSignal): Promise<Error | undefined> {
    if (!isStatusChanged(sidecarSet, status)) return undefined;
    const object = newestOf(this.#stores.sidecarSets, sidecarSet);
    try {
      if ((await writeStatus(this.#dependencies.client, sidecarSets, { object, status, how: 'Replace' }, signal)) === undefined)
        return undefined;
    } catch (error) {
      return asError(error);
    }
    const { matchedPods, updatedPods, readyPods, updatedReadyPods: updateReadyPods } = status;
    this.#dependencies.logger.info(
      { sidecarSet: sidecarSet.metadata.name, matchedPods, updatedPods, readyPods, updateReadyPods },
      'SidecarSet updated status success',
    );
    return undefined;
  }
}

/** Once for each generation: a status of a SidecarSet has no place for it. @param told by uid, the generation that was told of */
function tellOnce(told: Map<string, number>, { metadata }: SidecarSet, tell: () => void): void {
  const { uid = '', generation = 0 } = metadata;
  if (told.get(uid) === generation) return;
  told.set(uid, generation);
  tell();
}

/** The Pod that an action updates, or whose update it ends. */
const changedPod = (action: Action): Pod | undefined => (action.kind === 'UpdatePod' || action.kind === 'FlipPod' ? action.pod : undefined);

const uidsOf = (pod: Pod | undefined): readonly string[] => (pod?.metadata.uid === undefined ? [] : [pod.metadata.uid]);

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches, flags, podNamespace } = dependencies;
  const sources = {
    sidecarSets: caches.of(sidecarSets),
    pods: caches.of(pods, byInjected),
    namespaces: caches.of(namespaces),
    revisions: caches.part(controllerRevisions, flags.namespace === '' ? {} : { namespace: podNamespace }, bySidecarSetName),
  };
  const stores: Stores = {
    sidecarSets: sources.sidecarSets.store,
    pods: sources.pods.store,
    namespaces: sources.namespaces.store,
    revisions: sources.revisions.store,
  };
  const reconciler = new SidecarSetReconciler(dependencies, stores);
  return {
    watches: [
      onEvent(sources.sidecarSets, ({ kind, object }) => {
        if (kind === 'Deleted') reconciler.forget(object);
      }),
      watchInformer(sources.sidecarSets, requestsOfSidecarSet),
      watchInformer(sources.pods, (event) => requestsOfPod(event, stores.sidecarSets)),
    ],
    caches: [sources.namespaces, sources.revisions],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

export const sidecarSetController: ControllerModule = {
  name,
  workers: 'sidecarset-workers',
  define,
};
