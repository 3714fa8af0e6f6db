/**
 * Joins watches, observe, plan, execute and status; holds no rule of the kind.
 *
 *   created -> finalizer -> running -> completionTime -> (5 s) -> secrets released, finalizer gone -> (time to live) -> deleted
 *      \---- deleted meanwhile ----> secrets released, finalizer gone -> gone
 *
 * @see spec/image-pulling.md 5.4, 5.5
 */
import {
  imageListPullJobs,
  imagePullJobDeclaration,
  imagePullJobFinalizer,
  imagePullJobs,
  nodeImages,
  type ImagePullJob,
  type ImagePullJobStatus,
} from '@kruise/api';
import {
  afterFailure,
  deleteUnchanged,
  enqueueSelf,
  giveUp,
  isFailure,
  lookAgain,
  nextLook,
  onEvent,
  retry,
  runPlan,
  setFinalizer,
  settled,
  watchInformer,
  writeStatus,
  type EventRecorder,
  type Outcome,
  type StoreEvent,
} from '@kruise/kube';
import { formatKey, keyOf, messageOf, milliseconds, pods, seconds, type Milliseconds, type ObjectKey } from '@kruise/objects';
import { isActive } from '../../images/active-job.ts';
import { byTaskOwner } from '../../images/node-image-tags.ts';
import type { SourceOf } from '../../images/node-share.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import { triedAgainWithin } from '../../workloads/refused-objects.ts';
import { jobEvents, type JobEvents } from './events.ts';
import { execute, sortFailures } from './execute.ts';
import { orderedWorkloads } from './nodes-of-job.ts';
import { observe, type Known, type Stores } from './observe.ts';
import { plan, withNote, type Action } from './plan.ts';
import { lingersFor } from './plan-secrets.ts';
import { RefusedNodes } from './refused-nodes.ts';
import { SecretStores } from './secret-stores.ts';
import type { Context, PullSecretReference, Snapshot } from './snapshot.ts';
import { computeProgress, computeStatus, untilDeadline } from './status.ts';
import { releaseSecrets, syncSecrets, type SecretIo } from './sync-secrets.ts';
import { readTerms, type Terms } from './terms.ts';
import { activeJobs, isAwaited, wakeOfCopy, wakeOfList, wakeOfNodeImage, wakeOfPod, wakeOfSource } from './wake.ts';
import { expiryOf } from '@kruise/workloads';

/** Between two looks at whether secrets can be read: while their first lists are on the way, and when they do not come. */
const shortSecretsWait = milliseconds(200);
const secretsWait = seconds(5);

/** How soon other nodes are asked after a write to one has failed for a reason that may concern them all. */
const othersAskedWithin = seconds(1);

type Readiness =
  | { readonly kind: 'Ready'; readonly references: readonly PullSecretReference[] }
  /** @param why for the status; undefined while the first lists may still come */
  | { readonly kind: 'Waiting'; readonly why?: string; readonly outcome: Outcome };

class ImagePullJobReconciler {
  readonly #dependencies: ControllerDependencies;
  readonly #stores: Stores;
  readonly #secrets: SecretIo;
  readonly #recorder: EventRecorder;
  readonly #refused: RefusedNodes;

  constructor(dependencies: ControllerDependencies, stores: Stores, secrets: SecretIo) {
    this.#dependencies = dependencies;
    this.#stores = stores;
    this.#secrets = secrets;
    this.#recorder = dependencies.recorderFor(imagePullJobDeclaration.controllerName);
    this.#refused = new RefusedNodes(dependencies.clock);
  }

  readonly #sourceOf: SourceOf = ({ namespace, name = '' }) =>
    namespace === this.#secrets.copiesNamespace ? this.#secrets.stores.sourceOf(name)?.namespace : namespace;

  eventsOf(job: ImagePullJob): JobEvents {
    return jobEvents(this.#recorder, job);
  }

  /** Nothing of a job that is gone is remembered. */
  forget({ metadata }: ImagePullJob): void {
    this.#refused.forget(metadata.uid ?? '');
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { namespace } = this.#dependencies.flags;
    if (namespace !== '' && namespace !== key.namespace) return settled;
    const job = this.#stores.jobs.get(key);
    try {
      if (job !== undefined && isActive(job)) return await this.#run(job, signal);
      const lingering = lingersFor(job, this.#secrets.stores.copies, this.#dependencies.clock.now());
      if (lingering === undefined) await releaseSecrets(formatKey(key), this.#secrets, 'the job is over', signal);
      return job === undefined ? settled : await this.#finish(job, lingering, signal);
    } catch (error) {
      return isFailure(error, 'NotFound') && this.#stores.jobs.get(key) === undefined ? settled : afterFailure(error, triedAgainWithin);
    }
  }

  #context(): Context {
    const { clock, flags } = this.#dependencies;
    return { now: clock.now(), alwaysTtlSeconds: flags['default-ttlseconds-for-always-nodeimage'] };
  }

  /** A job that is deleted keeps its place until its secrets are released. @returns undefined when it is gone */
  #setFinalizer(object: ImagePullJob, present: boolean, signal: AbortSignal): Promise<ImagePullJob | undefined> {
    return setFinalizer(this.#dependencies.client, imagePullJobs, { object, finalizer: imagePullJobFinalizer, present }, signal);
  }

  #writeStatus(object: ImagePullJob, status: ImagePullJobStatus, signal: AbortSignal): Promise<unknown> {
    return writeStatus(this.#dependencies.client, imagePullJobs, { object, status, how: 'Merge' }, signal);
  }

  /**
   * What is left of a job that is over: its finalizer, and after its time to live itself.
   *
   * @param lingering how long it keeps copies of secrets; undefined when it has none any more
   */
  async #finish(job: ImagePullJob, lingering: Milliseconds | undefined, signal: AbortSignal): Promise<Outcome> {
    const { client, clock } = this.#dependencies;
    this.forget(job);
    const held = lingering === undefined ? await this.#setFinalizer(job, false, signal) : job;
    if (held === undefined) return settled;
    const expiry = expiryOf(held.status?.completionTime, held.spec.completionPolicy?.ttlSecondsAfterFinished, clock.now());
    // Its list would make it anew.
    const stays = held.metadata.deletionTimestamp !== undefined || expiry.kind === 'Kept' || isAwaited(held, this.#stores.lists);
    if (stays) return nextLook(lingering);
    if (expiry.kind === 'Waiting') return lookAgain(milliseconds(Math.min(expiry.left, lingering ?? expiry.left)));
    await deleteUnchanged(client, imagePullJobs, held, { signal, propagationPolicy: 'Background' });
    return settled;
  }

  async #run(given: ImagePullJob, signal: AbortSignal): Promise<Outcome> {
    const read = readTerms(given);
    if (read.kind === 'Faulty') return this.#refuse(given, read.why, signal);
    const job = await this.#setFinalizer(given, true, signal);
    if (job === undefined) return settled;
    const readiness = await this.#secretsOf(job, signal);
    if (readiness.kind === 'Waiting')
      return this.#waitForSecrets(observe(this.#stores, job, withoutSecrets(read.terms)), readiness, signal);
    const known = {
      terms: read.terms,
      references: readiness.references,
      refused: this.#refused.of(job.metadata.uid ?? ''),
      sourceOf: this.#sourceOf,
    };
    return this.#pull(observe(this.#stores, job, known), signal);
  }

  /** One write of the status before the first task (the deadline counts from there), one after the tasks of a pass. */
  async #pull(seen: Snapshot, signal: AbortSignal): Promise<Outcome> {
    const { client, clock, logger } = this.#dependencies;
    const context = this.#context();
    const next = plan(seen, context);
    const isFirst = seen.job.status?.startTime === undefined;
    if (isFirst || next.actions.length === 0) await this.#writeStatus(seen.job, next.status, signal);
    if (next.actions.length === 0) return nextLook(next.lookAgainAfter);
    const io = { client, clock, nodeImages: this.#stores.nodeImages, order: seen, context };
    const tools = { execute: (action: Action) => execute(action, io, signal), logger, about: { imagePullJob: formatKey(keyOf(seen.job)) } };
    // Nodes do not stand in each other's way.
    const { stages } = await runPlan([{ name: 'tasks', actions: next.actions, onFailure: 'Collect', pace: 'AtOnce' }], tools, signal);
    const { failure, refusals } = sortFailures(stages.get('tasks')?.failures ?? []);
    for (const [node, error] of refusals) this.eventsOf(seen.job).nodeRefused(node, error);
    this.#refused.add(seen.job.metadata.uid ?? '', [...refusals.keys()]);
    await this.#writeProgress(seen, next.note, signal);
    if (failure !== undefined) return afterFailure(failure, refusals.size > 0 ? othersAskedWithin : triedAgainWithin);
    if (refusals.size > 0) return lookAgain(milliseconds(0));
    return nextLook(next.lookAgainAfter);
  }

  /** As the stores show it now, which hold the pass's own writes. */
  async #writeProgress({ job, ...known }: Snapshot, note: string | undefined, signal: AbortSignal): Promise<void> {
    const present = this.#stores.jobs.get(keyOf(job));
    if (present === undefined || present.metadata.uid !== job.metadata.uid || !isActive(present)) return;
    const seen = observe(this.#stores, present, known);
    const status = computeStatus(seen, computeProgress(seen), this.#context().now);
    // Whether the job is over is for a pass of its own to say, on all that the plan looks at.
    if (status.completionTime === undefined) await this.#writeStatus(present, withNote(status, note), signal);
  }

  async #secretsOf(job: ImagePullJob, signal: AbortSignal): Promise<Readiness> {
    const names = job.spec.pullSecrets ?? [];
    if (names.length === 0) return { kind: 'Ready', references: [] };
    const { namespace = '' } = job.metadata;
    if (namespace === this.#secrets.copiesNamespace)
      return { kind: 'Ready', references: [...new Set(names)].map((name) => ({ namespace, name })) };
    if (!this.#secrets.stores.synced) {
      if (!this.#secrets.stores.isOverdue) return { kind: 'Waiting', outcome: lookAgain(shortSecretsWait) };
      this.eventsOf(job).pullSecretsUnreadable();
      return { kind: 'Waiting', why: 'the manager cannot read Secrets', outcome: lookAgain(secretsWait) };
    }
    try {
      return { kind: 'Ready', references: await syncSecrets(job, this.#secrets, this.eventsOf(job), signal) };
    } catch (error) {
      if (signal.aborted || isFailure(error, 'Conflict', 'Aborted')) throw error;
      this.eventsOf(job).pullSecretRefused(error);
      return { kind: 'Waiting', why: messageOf(error), outcome: retry(error, triedAgainWithin) };
    }
  }

  /** No node is asked without the secrets, but the deadline of the job counts, and its status says what it waits for. */
  async #waitForSecrets(seen: Snapshot, { why, outcome }: Extract<Readiness, { kind: 'Waiting' }>, signal: AbortSignal): Promise<Outcome> {
    if (why === undefined) return outcome;
    const { now } = this.#context();
    const status = computeStatus(seen, computeProgress(seen), now);
    const isOver = status.completionTime !== undefined;
    await this.#writeStatus(seen.job, isOver ? status : { ...status, message: `job waits for its pull secrets: ${why}` }, signal);
    return isOver ? settled : within(outcome, untilDeadline(seen, now));
  }

  /** What came past admission is said in the status and an event; nothing else happens until the job changes. */
  async #refuse(job: ImagePullJob, why: string, signal: AbortSignal): Promise<Outcome> {
    if (job.status?.message !== why) this.eventsOf(job).invalid(why);
    await this.#writeStatus(job, { desired: 0, ...job.status, message: why }, signal);
    return giveUp(new Error(why));
  }
}

/** What is looked at of a job whose secrets are not there. */
const withoutSecrets = (terms: Terms): Known => ({ terms, references: [], refused: new Set(), sourceOf: () => undefined });

/** The same outcome, but a look at the deadline in time. */
function within(outcome: Outcome, left: Milliseconds | undefined): Outcome {
  if (left === undefined) return outcome;
  if (outcome.kind === 'Retry') return { ...outcome, within: milliseconds(Math.min(outcome.within ?? left, left)) };
  return outcome.kind === 'LookAgain' ? lookAgain(milliseconds(Math.min(outcome.after, left))) : outcome;
}

function storesOf({ caches, installed }: ControllerDependencies) {
  const listsAreInstalled = installed(imageListPullJobs.group, imageListPullJobs.version, imageListPullJobs.kind);
  return {
    jobs: caches.of(imagePullJobs, activeJobs),
    nodeImages: caches.of(nodeImages, byTaskOwner),
    pods: caches.of(pods),
    workloads: orderedWorkloads
      .filter(({ group, version, kind }) => installed(group, version, kind))
      .map((type) => ({ kind: type.kind, informer: caches.of(type) })),
    lists: listsAreInstalled ? caches.of(imageListPullJobs) : undefined,
  };
}

function define(dependencies: ControllerDependencies): ControllerWork {
  const { client, caches, daemonConfigNamespace: copiesNamespace } = dependencies;
  const sources = storesOf(dependencies);
  const jobs = sources.jobs.store;
  const stores: Stores = {
    jobs,
    nodeImages: sources.nodeImages.store,
    pods: sources.pods.store,
    workloads: new Map(sources.workloads.map(({ kind, informer }) => [kind, informer.store])),
    lists: sources.lists?.store,
  };
  const secretStores = new SecretStores({ client, clock: dependencies.clock, caches }, copiesNamespace);
  const reconciler = new ImagePullJobReconciler(dependencies, stores, { client, stores: secretStores, copiesNamespace });
  /** A job that is gone is forgotten; a change that comes too late gets an answer. */
  const follow = (event: StoreEvent<ImagePullJob>): void => {
    if (event.kind === 'Deleted') reconciler.forget(event.object);
    if (event.kind !== 'Updated' || event.previous.metadata.generation === event.object.metadata.generation) return;
    const { object, previous } = event;
    if (previous.status?.completionTime !== undefined && object.metadata.deletionTimestamp === undefined)
      reconciler.eventsOf(object).editedAfterEnd();
  };
  return {
    watches: [
      onEvent(sources.jobs, follow),
      watchInformer(sources.jobs, enqueueSelf),
      watchInformer(sources.nodeImages, (event) => wakeOfNodeImage(event, jobs)),
      watchInformer(sources.pods, (event) => wakeOfPod(event, jobs)),
      ...(sources.lists === undefined ? [] : [watchInformer(sources.lists, (event) => wakeOfList(event, jobs))]),
      ...secretStores.watches({ source: (event) => wakeOfSource(event, jobs), copy: wakeOfCopy }),
    ],
    caches: sources.workloads.map(({ informer }) => informer),
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

export const imagePullJobController: ControllerModule = {
  name: imagePullJobDeclaration.controllerName,
  workers: 'imagepulljob-workers',
  gates: ['KruiseDaemon', 'ImagePullJobGate'],
  define,
};
