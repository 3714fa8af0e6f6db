/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/broadcastjob.md 5 */
import { broadcastJobDeclaration, broadcastJobs, type BroadcastJob, type BroadcastJobStatus } from '@kruise/api';
import {
  afterFailure,
  asError,
  giveUp,
  nextLook,
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
  formatKey,
  keyOf,
  nodes as nodeType,
  pods as podType,
  type Node,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import { causeOfPass, withBlocking, type BlockingCause } from '@kruise/workloads';
import { byOwner } from '../../caches/by-owner.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { failuresOf } from '../../workloads/refusal.ts';
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

/** Pods are the job's by label and by owner. */
function observe(job: BroadcastJob, stores: Stores): Snapshot {
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
  };
}

/** One pass over one job. */
class Pass {
  readonly #job: BroadcastJob;
  readonly #stores: Stores;
  readonly #dependencies: ControllerDependencies;
  readonly #events: BroadcastJobEvents;
  readonly #signal: AbortSignal;

  constructor(job: BroadcastJob, stores: Stores, dependencies: ControllerDependencies, signal: AbortSignal) {
    this.#job = job;
    this.#stores = stores;
    this.#dependencies = dependencies;
    this.#events = broadcastJobEvents(dependencies.recorderFor(name), job);
    this.#signal = signal;
  }

  async carryOut(next: Plan): Promise<Outcome> {
    const verdictError = next.verdict === undefined ? undefined : await this.#write(this.#blocked(next.verdict, undefined));
    if (verdictError !== undefined) return afterFailure(verdictError);
    if (next.verdict !== undefined) this.#tell(next.notes);
    const { stages, error } = await this.#run([
      { name: 'remove', actions: next.remove, onFailure: 'Stop', pace: 'ByKind' },
      { name: 'create', actions: next.create, onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreatePod'] },
    ]);
    const statusError = await this.#conclude(next, stages.get('create')?.done ?? 0, error);
    if (next.verdict === undefined && statusError === undefined) this.#tell(next.notes);
    if (error === undefined) this.#tell(next.notesAfter);
    const failure = error ?? statusError;
    return failure === undefined ? nextLook(next.lookAgainAfter) : afterFailure(failure, next.lookAgainAfter);
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
    return runPlan(stages, { execute: (action, signal) => execute(action, io, signal), logger, about }, this.#signal);
  }

  /** Numbers are those after the Pods of this pass, and what kept them from being made is said. */
  async #conclude({ status, verdict }: Plan, created: number, error: Error | undefined): Promise<Error | undefined> {
    if (status === undefined || verdict !== undefined) return undefined;
    const cause = causeOfPass(failuresOf({ scale: error }), undefined);
    return this.#write(this.#blocked({ ...status, active: (status.active ?? 0) + created }, cause));
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
async function reconcile(key: ObjectKey, stores: Stores, dependencies: ControllerDependencies, signal: AbortSignal): Promise<Outcome> {
  const job = stores.jobs.get(key);
  if (job === undefined) return settled;
  const pass = new Pass(job, stores, dependencies, signal);
  const fault = job.metadata.deletionTimestamp === undefined ? faultOf(job) : undefined;
  if (fault !== undefined) return pass.refuse(fault);
  const placedByScheduler = dependencies.flags['assign-bcj-pods-by-scheduler'];
  return pass.carryOut(plan(observe(job, stores), { now: dependencies.clock.now(), placedByScheduler }));
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches } = dependencies;
  const sources = { jobs: caches.of(broadcastJobs), pods: caches.of(podType, byOwner), nodes: caches.of(nodeType) };
  const stores: Stores = { jobs: sources.jobs.store, pods: sources.pods.store, nodes: sources.nodes.store };
  return {
    watches: [
      watchInformer(sources.jobs, requestsForJob),
      watchInformer(sources.pods, (event) => requestsForPod(event, stores.jobs)),
      watchInformer(sources.nodes, (event) => requestsForNode(event, stores.jobs)),
    ],
    reconcile: (key, signal) => reconcile(key, stores, dependencies, signal),
  };
}

export const broadcastJobController: ControllerModule = { name, workers: 'broadcastjob-workers', define };
