/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/sidecarset.md 5.5 */
import { sidecarSetDeclaration, sidecarSets, type SidecarSet } from '@kruise/api';
import {
  afterConflict,
  afterFailure,
  asError,
  isCut,
  isFailure,
  lookAgain,
  nextLook,
  onEvent,
  retry,
  settled,
  watchInformer,
  writeStatus,
  type Outcome,
  type Stage,
  type StageResult,
} from '@kruise/kube';
import {
  controllerRevisions,
  formatKey,
  keyOf,
  milliseconds,
  namespaces,
  pods,
  type Milliseconds,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { newestOf } from '../../writes/status-writes.ts';
import { sidecarSetEvents, type SidecarSetEvents } from './events.ts';
import type { Action } from './action.ts';
import { execute, type Io } from './execute.ts';
import { byInjected, bySidecarSetName, observe, type Stores } from './observe.ts';
import { KnownMembers } from './known-members.ts';
import { plan, type Plan } from './plan.ts';
import { requestsOfPod, requestsOfSidecarSet } from './pod-watch.ts';
import type { Context } from './snapshot.ts';
import { isStatusChanged } from './status.ts';
import { AnnouncedOnce } from './announced-once.ts';
import { afterRefusal, updateGuardOf } from '../../workloads/admit-updates.ts';
import { AwaitedRevisions } from '../../workloads/awaited-revisions.ts';
import { InDoubt, whileInDoubt } from '../../workloads/in-doubt.ts';
import { RefusedObjects, statusWrite, triedAgainWithin } from '../../workloads/refused-objects.ts';
import { inBursts, runPaced, type PacedResult } from '../../workloads/run-paced.ts';
import { rememberCollisions } from '../../workloads/collision-count.ts';

const name = sidecarSetDeclaration.controllerName;

/** What a first status cannot do without. */
const noPods = { matchedPods: 0, readyPods: 0, updatedPods: 0 };

class SidecarSetReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #stores: Stores;
  readonly #events: SidecarSetEvents;
  readonly #inDoubt: InDoubt;
  readonly #known = new KnownMembers();
  readonly #context: Context = { memberOf: (pod, view) => this.#known.memberOf(pod, view) };
  readonly #announced = new AnnouncedOnce<keyof SidecarSetEvents>();
  readonly #refusals: RefusedObjects;
  readonly #revisions = new AwaitedRevisions();

  constructor(dependencies: ControllerDependencies, stores: Stores) {
    this.#dependencies = dependencies;
    this.#stores = stores;
    this.#events = sidecarSetEvents(dependencies.recorderFor(name));
    this.#refusals = new RefusedObjects(dependencies.clock);
    this.#inDoubt = new InDoubt(stores.pods, dependencies.flags['expectation-timeout']);
  }

  /** Called for every SidecarSet that is deleted. */
  forget(sidecarSet: SidecarSet): void {
    const { metadata } = sidecarSet;
    this.#announced.forget(sidecarSet);
    this.#refusals.forget(metadata.uid ?? '');
    this.#known.forget(metadata.uid ?? '');
    this.#inDoubt.forget(metadata.uid ?? '');
    this.#revisions.shown(metadata.uid ?? '');
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const sidecarSet = this.#stores.sidecarSets.get(key);
    if (sidecarSet === undefined || sidecarSet.metadata.deletionTimestamp !== undefined) return settled;
    const { uid = '' } = sidecarSet.metadata;
    this.#refusals.begin(sidecarSet);
    const remembered = { refusals: this.#refusals, resting: this.#refusals.waitingObjects(uid) };
    const next = plan(observe(this.#stores, sidecarSet, this.#dependencies.podNamespace, remembered), this.#context);
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
    if (revisions.error !== undefined && revisions.fresh === undefined) return nextLook(this.#refusals.shortestWait(uid));
    if (next.revisions.length > 0) return this.#afterRevisions(sidecarSet, revisions.fresh);
    this.#revisions.shown(uid);
    const statusError = await this.#writeStatus(sidecarSet, next, signal);
    await this.#run([{ name: 'housekeeping', actions: next.housekeeping, onFailure: 'Log', pace: 'AtOnce' }], next, io, signal);
    if (isFailure(statusError, 'Conflict', 'Unreachable', 'Aborted')) return afterFailure(statusError);
    // No update depends on a status that the API server refuses.
    const outcome = await this.#carryOut(sidecarSet, next, io, signal);
    return statusError === undefined || outcome.kind === 'Retry' ? outcome : retry(statusError, within(outcome));
  }

  /** Until the present version has its revision, no Pod is updated to it. */
  #afterRevisions(sidecarSet: SidecarSet, error: Error | undefined): Outcome {
    if (error === undefined) return lookAgain(this.#revisions.written(sidecarSet.metadata.uid ?? ''));
    if (isFailure(error, 'Conflict')) return afterConflict;
    this.#announced.announce(sidecarSet, 'revisionFailed', () => this.#events.revisionFailed(sidecarSet, error));
    return retry(error, triedAgainWithin);
  }

  #run(stages: readonly Stage<Action>[], { view }: Plan, io: Io, signal: AbortSignal): Promise<PacedResult<Action>> {
    const { logger } = this.#dependencies;
    const execution = {
      execute: (action: Action, during: AbortSignal) => execute(action, io, during),
      logger,
      about: { sidecarSet: view.name },
    };
    const subjectsOf = (action: Action): readonly string[] => uidsOf(changedPod(action));
    return runPaced(inBursts(stages), execution, { refusals: this.#refusals, owner: view.object, subjectsOf }, signal);
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
    if (await this.#inDoubt.remains(sidecarSet.metadata.uid ?? '', io.client, this.#dependencies.clock.now(), signal)) return whileInDoubt;
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
    if (changes !== undefined) this.#remember(sidecarSet, changes, result.held);
    const refused = changes?.refused === undefined ? undefined : afterRefusal(changes.refused, {});
    if (refused !== undefined)
      this.#announced.announce(sidecarSet, 'refused', () => this.#events.refused(sidecarSet, refused.blockedBy.message));
    this.#tellUnanswered(sidecarSet, changes);
    if (result.fresh === undefined && isCut(result)) return lookAgain(milliseconds(0));
    return this.#refusals.outcome(sidecarSet.metadata.uid ?? '', result.fresh, [refused?.lookAgainAfter]);
  }

  /** Budgets that cannot be asked keep every Pod. */
  #tellUnanswered(sidecarSet: SidecarSet, changes: StageResult<Action> | undefined): void {
    const { error, failures = [] } = changes ?? {};
    if (error === undefined || failures.some((failed) => failed.error === error)) return;
    const why = `Budgets cannot be asked, so that no Pod is updated now: ${error.message}`;
    this.#announced.announce(sidecarSet, 'refused', () => this.#events.refused(sidecarSet, why));
  }

  #remember(sidecarSet: SidecarSet, { failures, allRefused }: StageResult<Action>, held: ReadonlySet<Error>): void {
    const { uid = '' } = sidecarSet.metadata;
    for (const { action, error } of failures) if ('pod' in action && !held.has(error)) this.#noteFailure(sidecarSet, action.pod, error);
    for (const action of allRefused) this.#refusals.note(uid, changedPod(action)?.metadata.uid);
  }

  #noteFailure(sidecarSet: SidecarSet, pod: Pod, error: Error): void {
    if (isFailure(error, 'Conflict')) return;
    this.#dependencies.logger.warn({ sidecarSet: sidecarSet.metadata.name, pod: keyOf(pod), error }, 'A Pod was not updated');
    if (isFailure(error, 'Unreachable')) this.#inDoubt.add(sidecarSet.metadata.uid ?? '', pod, this.#dependencies.clock.now());
    else
      this.#announced.announce(sidecarSet, 'failedToUpdate', () =>
        this.#events.failedToUpdate(sidecarSet, `Pod ${formatKey(keyOf(pod))} was not updated: ${error.message}`),
      );
  }

  /** Once for each generation, and whenever Pods join those that cannot be upgraded. */
  #tell(sidecarSet: SidecarSet, { notUpgradable, conditions }: Plan): void {
    if (notUpgradable === 0) return;
    if (conditions.some((action) => action.kind === 'SetUpgradable' && !action.upgradable))
      this.#announced.renew(sidecarSet, 'notUpgradable');
    this.#announced.announce(sidecarSet, 'notUpgradable', () => this.#events.notUpgradable(sidecarSet, notUpgradable));
  }

  /** @returns the error, if any; a SidecarSet that is gone needs no status */
  async #writeStatus(sidecarSet: SidecarSet, { status }: Plan, signal: AbortSignal): Promise<Error | undefined> {
    const { uid = '', generation } = sidecarSet.metadata;
    if (!isStatusChanged(sidecarSet, status) || this.#refusals.waiting(uid, statusWrite) !== undefined) return undefined;
    const object = newestOf(this.#stores.sidecarSets, sidecarSet);
    const write = (): Promise<unknown> => writeStatus(this.#dependencies.client, sidecarSets, { object, status, how: 'Replace' }, signal);
    try {
      if ((await this.#refusals.attempt(uid, [], write, { ...statusWrite, generation })) === undefined) return undefined;
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

/** When the next pass must come at the latest; {@link triedAgainWithin} where nothing else calls for one. */
const within = (outcome: Outcome): Milliseconds => (outcome.kind === 'LookAgain' ? outcome.after : triedAgainWithin);

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
