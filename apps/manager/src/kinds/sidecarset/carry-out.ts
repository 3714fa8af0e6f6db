/**
 * One pass over a SidecarSet:
 *
 *   revision | status -> housekeeping -> [a write in doubt: wait] -> conditions of Pods -> ends of hot upgrades, updates
 *
 * It is not one of `workloadController`: the status counts Pods as they were seen, so that it is written before they change; it has no conditions, so that
 * events say what is refused; and a write in doubt holds back the Pods, but not the status.
 * @see spec/sidecarset.md 5.5
 */
import { sidecarSets, type SidecarSet } from '@kruise/api';
import { isCut, isFailure, requeue, retry, type Outcome } from '@kruise/kube';
import { keyOf, milliseconds, type Instant, type Milliseconds, type Stage, type StageResult } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { firstRefusal, refusedFor, updateGuardOf } from '../../workloads/admit-updates.ts';
import type { AwaitedRevisions } from '@kruise/workloads';
import { rememberCollisions } from '../../workloads/passes/collision-count.ts';
import { whileInDoubt, type InDoubt } from '../../workloads/refusals/in-doubt.ts';
import { triedAgainWithin, type RefusedObjects } from '../../workloads/refusals/refused-objects.ts';
import { inBursts, runPaced, type PacedResult } from '../../workloads/passes/run-paced.ts';
import { writeNewestStatus } from '../../writes/status-writes.ts';
import { type Action, type Plan, isStatusChanged } from '@kruise/kinds/sidecarset';
import type { AnnouncedOnce, Announcement } from './announced-once.ts';
import { ofChanges, ofPlan, revisionFailed } from './announcements.ts';
import type { PodEvents } from './events.ts';
import { execute, type Io } from './execute.ts';
import type { Stores } from './observe.ts';

/** What a first status cannot do without. */
const noPods = { matchedPods: 0, readyPods: 0, updatedPods: 0 };

export interface Parts {
  readonly dependencies: ControllerDependencies;
  readonly stores: Stores;
  readonly events: PodEvents;
  readonly announced: AnnouncedOnce;
  readonly refusals: RefusedObjects;
  readonly doubts: InDoubt;
  readonly revisions: AwaitedRevisions;
}

/** When the next pass must come at the latest; {@link triedAgainWithin} where nothing else calls for one. */
const within = (outcome: Outcome): Milliseconds => (outcome.kind === 'Requeue' ? outcome.after : triedAgainWithin);

/** The uid of the Pod that an action updates, or whose update it ends. */
function uidsOf(action: Action): readonly string[] {
  const pod = action.kind === 'UpdatePod' || action.kind === 'FlipPod' ? action.pod : undefined;
  return pod?.metadata.uid === undefined ? [] : [pod.metadata.uid];
}

export class SidecarSetPass {
  readonly #sidecarSet: SidecarSet;
  readonly #next: Plan;
  readonly #parts: Parts;
  readonly #signal: AbortSignal;
  readonly #uid: string;
  #collisionCount = 0;

  constructor(sidecarSet: SidecarSet, next: Plan, parts: Parts, signal: AbortSignal) {
    this.#sidecarSet = sidecarSet;
    this.#next = next;
    this.#parts = parts;
    this.#signal = signal;
    this.#uid = sidecarSet.metadata.uid ?? '';
  }

  /** @throws ApiError when the API server cannot say whether a write took effect */
  async carryOut(): Promise<Outcome> {
    const { revisions, refusals } = this.#parts;
    const { housekeeping } = this.#next;
    if (this.#next.revisions.length > 0) return this.#makeRevisions();
    revisions.shown(this.#uid);
    const statusError = await this.#writeStatus();
    await this.#run([{ name: 'housekeeping', actions: housekeeping, onFailure: 'Log', pace: 'AtOnce' }]);
    if (isFailure(statusError, 'Conflict', 'Unreachable', 'Aborted')) return refusals.outcome(this.#uid, statusError, []);
    // No update depends on a status that the API server refuses.
    const outcome = await this.#changePods();
    return statusError === undefined || outcome.kind === 'Retry' ? outcome : retry(statusError, within(outcome));
  }

  /** Until the present version has its revision, no Pod is updated to it. */
  async #makeRevisions(): Promise<Outcome> {
    const { dependencies, refusals, revisions } = this.#parts;
    const { error, fresh } = await this.#run([{ name: 'revisions', actions: this.#next.revisions, onFailure: 'Collect', pace: 'AtOnce' }]);
    const collisions = { object: this.#sidecarSet, collisionCount: this.#collisionCount, required: noPods };
    await rememberCollisions(dependencies.client, sidecarSets, collisions, this.#signal);
    if (error === undefined) return requeue(revisions.written(this.#uid));
    if (fresh !== undefined && !isFailure(fresh, 'Conflict')) this.#announce([revisionFailed(fresh)]);
    return refusals.outcome(this.#uid, fresh, []);
  }

  async #changePods(): Promise<Outcome> {
    const { dependencies, refusals, doubts } = this.#parts;
    const { conditions, changes } = this.#next;
    this.#announce(ofPlan(this.#next));
    if (await doubts.remains(this.#uid, dependencies.client, this.#now, this.#signal)) return whileInDoubt;
    const result = await this.#run([
      { name: 'conditions', actions: conditions, onFailure: 'Collect', pace: 'AtOnce' },
      { name: 'changes', actions: changes, onFailure: 'Collect', pace: 'AtOnce', ...updateGuardOf(dependencies) },
    ]);
    const changed = result.stages.get('changes');
    if (changed !== undefined) this.#note(changed, result.held);
    if (result.fresh === undefined && isCut(result)) return requeue(milliseconds(0));
    return refusals.outcome(this.#uid, result.fresh, [firstRefusal(result, 'changes') === undefined ? undefined : refusedFor]);
  }

  /** Pods that a budget keeps come after the others, as those do that the API server refuses. */
  #note(changes: StageResult<Action>, held: ReadonlySet<Error>): void {
    const { dependencies, refusals, doubts } = this.#parts;
    const { name: sidecarSet } = this.#sidecarSet.metadata;
    const fresh = changes.failures.filter(({ error }) => !held.has(error) && !isFailure(error, 'Conflict'));
    for (const { action, error } of fresh)
      if ('pod' in action) dependencies.logger.warn({ sidecarSet, pod: keyOf(action.pod), error }, 'Failed to update a Pod');
    doubts.note(this.#uid, changes.failures, this.#now);
    for (const uid of changes.allRefused.flatMap(uidsOf)) refusals.note(this.#uid, uid);
    const refused = fresh.filter(({ error }) => !isFailure(error, 'Unreachable'));
    this.#announce(ofChanges(changes, refused));
  }

  #announce(announcements: readonly Announcement[]): void {
    this.#parts.announced.announce(this.#sidecarSet, announcements);
  }

  get #now(): Instant {
    return this.#parts.dependencies.clock.now();
  }

  #run(stages: readonly Stage<Action>[]): Promise<PacedResult<Action>> {
    const { dependencies, refusals, events } = this.#parts;
    const { client, clock, logger } = dependencies;
    const { view, latest } = this.#next;
    const io: Io = {
      client,
      clock,
      events,
      update: { view, latestRevision: latest.metadata.name },
      onCollisionCount: (count) => (this.#collisionCount = count),
    };
    const tools = {
      execute: (action: Action, during: AbortSignal) => execute(action, io, during),
      logger,
      about: { sidecarSet: view.name },
    };
    return runPaced(inBursts(stages), tools, { refusals, owner: this.#sidecarSet, subjectsOf: uidsOf }, this.#signal);
  }

  /** @returns the error, if any; a status that waits is none */
  async #writeStatus(): Promise<Error | undefined> {
    const { dependencies, stores, refusals } = this.#parts;
    const { client, logger } = dependencies;
    const { status } = this.#next;
    if (!isStatusChanged(this.#sidecarSet, status)) return undefined;
    let written: SidecarSet | undefined;
    const { fresh } = await refusals.writeStatus(this.#sidecarSet, async () => {
      const from = { client, store: stores.sidecarSets };
      written = await writeNewestStatus(sidecarSets, { object: this.#sidecarSet, status }, from, this.#signal);
    });
    const { matchedPods, updatedPods, readyPods, updatedReadyPods: updateReadyPods } = status;
    const about = { sidecarSet: this.#sidecarSet.metadata.name, matchedPods, updatedPods, readyPods, updateReadyPods };
    if (written !== undefined) logger.info(about, 'SidecarSet updated status success');
    return fresh;
  }
}
