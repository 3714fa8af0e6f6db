/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/broadcastjob.md 5 */
import { broadcastJobDeclaration, broadcastJobs, type BroadcastJob, type BroadcastJobStatus } from '@kruise/api';
import {
  afterFailure,
  asError,
  giveUp,
  nextLook,
  onEvent,
  runPlan,
  settled,
  watchInformer,
  type Outcome,
  type PlanResult,
  type Stage,
  type StoreReader,
} from '@kruise/kube';
import {
  byName,
  controllerOf,
  earliest,
  formatKey,
  keyOf,
  nodes as nodeType,
  pods as podType,
  type Node,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { causeOfPass, withBlocking, type BlockingCause, type RefusedBefore } from '@kruise/workloads';
import { byOwner } from '../../caches/by-owner.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { failuresOf } from '../../workloads/refusal.ts';
import { RefusedObjects, retriedWithin } from '../../workloads/refused-objects.ts';
import { writeNewestStatus } from '../../writes/status-writes.ts';
import type { Action, Note } from './action.ts';
import { broadcastJobEvents, type BroadcastJobEvents } from './events.ts';
import { execute } from './execute.ts';
import { labelsOf } from './new-pod.ts';
import { plan, type Plan, type Snapshot } from './plan.ts';
import { requestsForJob, requestsForNode, requestsForPod } from './triggers.ts';
import { faultOf } from './well-formed.ts';

const name = broadcastJobDeclaration.controllerName;

interface Stores {
  readonly jobs: StoreReader<BroadcastJob>;
  readonly pods: StoreReader<Pod>;
  readonly nodes: StoreReader<Node>;
}

interface Parts {
  readonly stores: Stores;
  readonly refusals: RefusedObjects;
  readonly dependencies: ControllerDependencies;
}

/** Pods are the job's by label and by owner. */
function observe(job: BroadcastJob, stores: Stores, refused: RefusedBefore): Snapshot {
  const { uid = '', namespace = '' } = job.metadata;
  const wanted = Object.entries(labelsOf(job));
  const pods = stores.pods
    .byIndex(byOwner, uid, { namespace })
    .filter((pod) => controllerOf(pod)?.uid === uid && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value))
    .sort(byName);
  return {
    job,
    pods,
    nodes: stores.nodes.list({ sorted: true }),
    takenNames: { has: (pod) => stores.pods.get({ namespace, name: pod }) !== undefined },
    refused,
  };
}

const nodeOfAction = (action: Action): string | undefined => ('pod' in action ? nodeOf(action.pod) : undefined);

/** One pass over one job. */
class Pass {
  readonly #job: BroadcastJob;
  readonly #stores: Stores;
  readonly #dependencies: ControllerDependencies;
  readonly #events: BroadcastJobEvents;
  readonly #refusals: RefusedObjects;
  /** Nodes for which a write was refused before this pass. */
  readonly refused: RefusedBefore;
  readonly #signal: AbortSignal;

  constructor(job: BroadcastJob, { stores, refusals, dependencies }: Parts, signal: AbortSignal) {
    this.#job = job;
    this.#stores = stores;
    this.#dependencies = dependencies;
    this.#refusals = refusals;
    this.refused = refusals.of(job.metadata.uid ?? '');
    this.#events = broadcastJobEvents(dependencies.recorderFor(name), job);
    this.#signal = signal;
  }

  async carryOut(next: Plan): Promise<Outcome> {
    const verdictError = next.verdict === undefined ? undefined : await this.#write(this.#blocked(next.verdict, undefined));
    if (verdictError !== undefined) return afterFailure(verdictError);
    if (next.verdict !== undefined) this.#tell(next.notes);
    const { stages, error } = await this.#run([
      { name: 'remove', actions: next.remove, onFailure: this.#isKnown(next.remove) ? 'Collect' : 'Stop', pace: 'ByKind' },
      { name: 'create', actions: next.create, onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreatePod'] },
    ]);
    const statusError = await this.#conclude(next, stages, error);
    if (next.verdict === undefined && statusError === undefined) this.#tell(next.notes);
    if (error === undefined) this.#tell(next.notesAfter);
    const failure = error ?? statusError;
    const after = failure === undefined ? undefined : retriedWithin(stages, nodeOfAction, this.refused);
    const { lookAgainAfter } = earliest([next.lookAgainAfter, after]);
    return failure === undefined ? nextLook(lookAgainAfter) : afterFailure(failure, lookAgainAfter);
  }

  /** New Pods take the room of those that are deleted: they wait for the deletions, but not for one that was refused before. */
  #isKnown(removals: readonly Action[]): boolean {
    return removals.every((action) => !('pod' in action) || this.refused.has(nodeOfAction(action) ?? ''));
  }

  /** What cannot be planned for is said in a condition and an event; nothing else happens until the job changes. */
  async refuse(why: string): Promise<Outcome> {
    const isNew = !(this.#job.status?.conditions ?? []).some(({ message }) => message === why);
    const error = await this.#write(this.#blocked(this.#job.status ?? {}, { reason: 'InvalidSpec', message: why }));
    if (error !== undefined) return afterFailure(error);
    if (isNew) this.#events.invalid(why);
    return giveUp(new Error(why));
  }

  #run(stages: readonly Stage<Action>[]): Promise<PlanResult<Action>> {
    const { client, logger } = this.#dependencies;
    const io = { client, job: this.#job, events: this.#events };
    const about = { broadcastJob: formatKey(keyOf(this.#job)) };
    const attempt = (action: Action, signal: AbortSignal): Promise<void> => {
      const node = nodeOfAction(action);
      const subjects = node === undefined ? [] : [node];
      return this.#refusals.attempt(this.#job.metadata.uid ?? '', subjects, () => execute(action, io, signal));
    };
    return runPlan(stages, { execute: attempt, logger, about }, this.#signal);
  }

  /**
   * Numbers are those after the Pods of this pass, those included that could not be deleted; a job that is over keeps the numbers of its end. What kept
   * Pods from being created or deleted is reported.
   */
  async #conclude({ status, verdict }: Plan, stages: PlanResult<Action>['stages'], error: Error | undefined): Promise<Error | undefined> {
    if (verdict !== undefined) return undefined;
    const cause = causeOfPass(failuresOf({ scale: error }), undefined);
    if (status === undefined) return this.#concludeEnd(cause);
    const running = (stages.get('create')?.done ?? 0) + (stages.get('remove')?.failures.length ?? 0);
    return this.#write(this.#blocked({ ...status, active: (status.active ?? 0) + running }, cause));
  }

  async #concludeEnd(cause: BlockingCause | undefined): Promise<Error | undefined> {
    const { status, metadata } = this.#job;
    return status === undefined || metadata.deletionTimestamp !== undefined ? undefined : this.#write(this.#blocked(status, cause));
  }

  #blocked(status: BroadcastJobStatus, cause: BlockingCause | undefined): BroadcastJobStatus {
    return withBlocking(status, cause, this.#dependencies.clock.now());
  }

  /** @returns the error, if any */
  #write(status: BroadcastJobStatus): Promise<Error | undefined> {
    const { client } = this.#dependencies;
    const written = writeNewestStatus(broadcastJobs, { object: this.#job, status }, { client, store: this.#stores.jobs }, this.#signal);
    return written.then(() => undefined, asError);
  }

  #tell(notes: readonly Note[]): void {
    for (const note of notes) this.#events.tell(note);
  }
}

/** A job that is gone needs nothing. */
async function reconcile(key: ObjectKey, parts: Parts, signal: AbortSignal): Promise<Outcome> {
  const { stores, dependencies } = parts;
  const job = stores.jobs.get(key);
  if (job === undefined) return settled;
  const pass = new Pass(job, parts, signal);
  const fault = job.metadata.deletionTimestamp === undefined ? faultOf(job) : undefined;
  if (fault !== undefined) return pass.refuse(fault);
  const placedByScheduler = dependencies.flags['assign-bcj-pods-by-scheduler'];
  return pass.carryOut(plan(observe(job, stores, pass.refused), { now: dependencies.clock.now(), placedByScheduler }));
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const sources = { jobs: caches.of(broadcastJobs), pods: caches.of(podType, byOwner), nodes: caches.of(nodeType) };
  const stores: Stores = { jobs: sources.jobs.store, pods: sources.pods.store, nodes: sources.nodes.store };
  const refusals = new RefusedObjects();
  return {
    watches: [
      onEvent(sources.jobs, ({ kind, object }) => {
        if (kind === 'Deleted') refusals.forget(object.metadata.uid ?? '');
      }),
      watchInformer(sources.jobs, requestsForJob),
      watchInformer(sources.pods, (event) => requestsForPod(event, stores.jobs)),
      watchInformer(sources.nodes, (event) => requestsForNode(event, stores.jobs)),
    ],
    reconcile: (key, signal) => reconcile(key, { stores, refusals, dependencies }, signal),
  };
}

export const broadcastJobController: ControllerModule = { name, workers: 'broadcastjob-workers', define };
