/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/broadcastjob.md 5 */
import { broadcastJobDeclaration, broadcastJobs, type BroadcastJob, type BroadcastJobStatus } from '@kruise/api';
import { giveUp, onEvent, settled, watchInformer, type Outcome, type PlanResult, type Stage, type StoreReader } from '@kruise/kube';
import {
  byName,
  controllerOf,
  formatKey,
  keyOf,
  nodes as nodeType,
  pods as podType,
  milliseconds,
  semanticEqual,
  type Milliseconds,
  type Node,
  type ObjectKey,
  type Pod,
} from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { causeOfPass, withBlocking, type BlockingCause, type RefusedBefore } from '@kruise/workloads';
import { byOwner } from '../../caches/by-owner.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { freesQuotaOf } from '../../workloads/pod-events.ts';
import { failuresOf } from '../../workloads/refusal.ts';
import { RefusedObjects } from '../../workloads/refused-objects.ts';
import { runPaced, type PacedResult } from '../../workloads/run-paced.ts';
import { StatusPace } from '../../workloads/status-pace.ts';
import { writeNewestStatus } from '../../writes/status-writes.ts';
import type { Action, Note } from './action.ts';
import { broadcastJobEvents, type BroadcastJobEvents } from './events.ts';
import { execute } from './execute.ts';
import { labelsOf } from './new-pod.ts';
import { plan, type Plan, type Snapshot } from './plan.ts';
import { requestsForJob, requestsForNode, requestsForPod } from './triggers.ts';
import { afterActions, pacedStatus } from './status.ts';
import { faultOf } from './well-formed.ts';

const name = broadcastJobDeclaration.controllerName;

interface Stores {
  readonly jobs: StoreReader<BroadcastJob>;
  readonly pods: StoreReader<Pod>;
  readonly nodes: StoreReader<Node>;
}

/** What came of the status at the end of a pass. */
interface Concluded {
  readonly error?: Error;
  /** How long its write waits. */
  readonly wait?: Milliseconds;
}

interface Parts {
  readonly stores: Stores;
  readonly refusals: RefusedObjects;
  readonly pace: StatusPace<BroadcastJobStatus>;
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

function subjectsOf(action: Action): readonly string[] {
  const node = nodeOfAction(action);
  return node === undefined ? [] : [node];
}

/** A node that gets no Pod waits, whatever the name of the Pod would be. */
const objectOf = (action: Action): string | undefined => (action.kind === 'CreatePod' ? nodeOfAction(action) : undefined);

/** One pass over one job. */
class Pass {
  readonly #job: BroadcastJob;
  readonly #stores: Stores;
  readonly #dependencies: ControllerDependencies;
  readonly #events: BroadcastJobEvents;
  readonly #refusals: RefusedObjects;
  readonly #pace: StatusPace<BroadcastJobStatus>;
  /** What failed in this pass: not what a write that waits was refused with before. */
  readonly #fresh: Error[] = [];
  /** Nodes for which a write was refused before this pass. */
  readonly refused: RefusedBefore;
  readonly #signal: AbortSignal;

  constructor(job: BroadcastJob, { stores, refusals, pace, dependencies }: Parts, signal: AbortSignal) {
    this.#job = job;
    this.#stores = stores;
    this.#dependencies = dependencies;
    this.#refusals = refusals;
    this.#pace = pace;
    refusals.begin(job);
    this.refused = refusals.of(job.metadata.uid ?? '', () => ({
      has: (node) => stores.nodes.get({ namespace: '', name: node }) !== undefined,
    }));
    this.#events = broadcastJobEvents(dependencies.recorderFor(name), job);
    this.#signal = signal;
  }

  async carryOut(next: Plan): Promise<Outcome> {
    const verdictError = next.verdict === undefined ? undefined : await this.#write(this.#blocked(next.verdict, undefined));
    if (verdictError !== undefined) return this.#outcome([]);
    if (next.verdict !== undefined) this.#tell(next.notes);
    const { stages, error, fresh } = await this.#run([
      { name: 'remove', actions: next.remove, onFailure: this.#isKnown(next.remove) ? 'Collect' : 'Stop', pace: 'ByKind' },
      { name: 'create', actions: next.create, onFailure: 'EndStage', pace: 'ByKind', slowly: ['CreatePod'] },
    ]);
    if (fresh !== undefined) this.#fresh.push(fresh);
    const concluded = await this.#conclude(next, stages, error);
    if (next.verdict === undefined && concluded.error === undefined) this.#tell(next.notes);
    if (error === undefined) this.#tell(next.notesAfter);
    return this.#outcome([next.lookAgainAfter, concluded.wait]);
  }

  #outcome(waits: readonly (Milliseconds | undefined)[]): Outcome {
    return this.#refusals.outcome(this.#job.metadata.uid ?? '', this.#fresh[0], waits);
  }

  /** New Pods take the room of those that are deleted: they wait for the deletions, but not for one that was refused before. */
  #isKnown(removals: readonly Action[]): boolean {
    return removals.every((action) => !('pod' in action) || this.refused.has(nodeOfAction(action) ?? ''));
  }

  /** What cannot be planned for is said in a condition and an event; nothing else happens until the job changes. */
  async refuse(why: string): Promise<Outcome> {
    const isNew = !(this.#job.status?.conditions ?? []).some(({ message }) => message === why);
    const error = await this.#write(this.#blocked(this.#job.status ?? {}, { reason: 'InvalidSpec', message: why }));
    if (error !== undefined) return this.#outcome([]);
    if (isNew) this.#events.invalid(why);
    return giveUp(new Error(why));
  }

  #run(stages: readonly Stage<Action>[]): Promise<PacedResult<Action>> {
    const { client, logger } = this.#dependencies;
    const io = { client, job: this.#job, events: this.#events };
    const about = { broadcastJob: formatKey(keyOf(this.#job)) };
    const tools = { execute: (action: Action, signal: AbortSignal) => execute(action, io, signal), logger, about };
    const paced = { refusals: this.#refusals, owner: this.#job, subjectsOf, objectOf };
    return runPaced(stages, tools, paced, this.#signal);
  }

  /**
   * Numbers are those after the Pods of this pass, those included that could not be deleted; a job that is over keeps the numbers of its end. What kept
   * Pods from being created or deleted is reported.
   */
  async #conclude({ status, verdict }: Plan, stages: PlanResult<Action>['stages'], error: Error | undefined): Promise<Concluded> {
    if (verdict !== undefined) return {};
    const cause = causeOfPass(failuresOf({ scale: error }), undefined);
    if (this.#job.metadata.deletionTimestamp !== undefined) return {};
    const done = (stage: string): number => stages.get(stage)?.done ?? 0;
    return this.#writeInTime(this.#blocked(afterActions(status, { created: done('create'), removed: done('remove') }), cause));
  }

  /** Counters are gathered, and words that change again wait. */
  async #writeInTime(status: BroadcastJobStatus): Promise<Concluded> {
    const { uid = '' } = this.#job.metadata;
    const pass = { now: this.#dependencies.clock.now(), isFailed: this.#fresh.length > 0 };
    const isChanged = !semanticEqual(this.#job.status, status);
    if (!isChanged) this.#pace.rest(uid);
    const wait = isChanged ? this.#pace.wait(this.#job, status, pass) : 0;
    if (wait > 0) return { wait: milliseconds(wait) };
    const error = await this.#write(status);
    if (error !== undefined) this.#pace.refused(uid);
    return error === undefined ? {} : { error };
  }

  #blocked(status: BroadcastJobStatus, cause: BlockingCause | undefined): BroadcastJobStatus {
    return withBlocking(status, cause, this.#dependencies.clock.now());
  }

  /** @returns the error, if any, also that of a write that waits */
  async #write(status: BroadcastJobStatus): Promise<Error | undefined> {
    const from = { client: this.#dependencies.client, store: this.#stores.jobs };
    const write = (): Promise<unknown> => writeNewestStatus(broadcastJobs, { object: this.#job, status }, from, this.#signal);
    const { error, fresh } = await this.#refusals.writeStatus(this.#job, write);
    if (fresh !== undefined) this.#fresh.push(fresh);
    return error;
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
  const memories = { refusals: new RefusedObjects(dependencies.clock), pace: new StatusPace(pacedStatus) };
  return {
    watches: [
      onEvent(sources.jobs, ({ kind, object }) => {
        if (kind === 'Deleted') for (const memory of Object.values(memories)) memory.forget(object.metadata.uid ?? '');
      }),
      onEvent(sources.pods, (event) => memories.refusals.freed(freesQuotaOf(event))),
      watchInformer(sources.jobs, requestsForJob),
      watchInformer(sources.pods, (event) => requestsForPod(event, stores.jobs)),
      watchInformer(sources.nodes, (event) => requestsForNode(event, stores.jobs)),
    ],
    reconcile: (key, signal) => reconcile(key, { stores, ...memories, dependencies }, signal),
  };
}

export const broadcastJobController: ControllerModule = { name, workers: 'broadcastjob-workers', define };
