/** Joins watches, observe, plan, execute and status; holds no rule of the kind. @see spec/advancedcronjob.md 5 */
import {
  advancedCronJobDeclaration,
  advancedCronJobs,
  broadcastJobDeclaration,
  broadcastJobs,
  imageListPullJobDeclaration,
  imageListPullJobs,
  type AdvancedCronJob,
  type AdvancedCronJobStatus,
} from '@kruise/api';
import { createZoneLoader, type ZoneLoader } from '@kruise/cron';
import {
  afterFailure,
  asError,
  enqueueOwner,
  giveUp,
  isCut,
  lookAgain,
  nextLook,
  onEvent,
  runPlan,
  settled,
  watchInformer,
  type Informer,
  type Outcome,
  type PlanResult,
  type Stage,
  type StoreEvent,
  type StoreReader,
  type Watch,
} from '@kruise/kube';
import {
  controllerOf,
  formatKey,
  formatTime,
  jobs as jobType,
  keyOf,
  milliseconds,
  workloadLimits,
  type Instant,
  type KubeObject,
  type ObjectKey,
} from '@kruise/objects';
import { byOwner } from '../../caches/by-owner.ts';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { isInstalled, type ControllerModule, type ControllerWork } from '../../module/kind-module.ts';
import { writeNewestStatus } from '../../writes/status-writes.ts';
import { childOfBroadcastJob, childOfImageList, childOfJob, type Child } from './children.ts';
import { advancedCronJobEvents, type AdvancedCronJobEvents } from './events.ts';
import { execute } from './execute.ts';
import { plan, type Action, type Plan } from './plan.ts';
import { horizonOf, type Horizon } from './schedule.ts';
import { statusOf } from './status.ts';
import { faultOf } from './well-formed.ts';

const name = advancedCronJobDeclaration.controllerName;

/** Jobs of one kind. */
interface ChildSource {
  readonly watch: Watch;
  readonly childrenOf: (job: AdvancedCronJob) => readonly Child[];
}

interface Stores {
  readonly cronJobs: StoreReader<AdvancedCronJob>;
  /** Of the kinds that the cluster has. */
  readonly children: readonly ChildSource[];
}

const childrenOf = (job: AdvancedCronJob, { children }: Stores): readonly Child[] => children.flatMap((source) => source.childrenOf(job));

interface Parts extends ControllerDependencies {
  readonly stores: Stores;
  readonly zones: ZoneLoader;
  /** The time of the last job that was made, by uid, until the status tells it: the job may be deleted before. */
  readonly untold: Map<string, Instant>;
}

/** The time of a job that was made counts, whether the status tells it already or not. */
const withTime = (job: AdvancedCronJob, made: Instant | undefined): AdvancedCronJob =>
  made === undefined ? job : { ...job, status: { ...job.status, lastScheduleTime: formatTime(made) } };

/** One pass over one AdvancedCronJob. */
class Pass {
  /** As it was seen, but for what the pass itself has written into its status. */
  #job: AdvancedCronJob;
  readonly #parts: Parts;
  readonly #events: AdvancedCronJobEvents;
  readonly #signal: AbortSignal;

  constructor(job: AdvancedCronJob, parts: Parts, signal: AbortSignal) {
    this.#job = job;
    this.#parts = parts;
    this.#events = advancedCronJobEvents(parts.recorderFor(name), job);
    this.#signal = signal;
  }

  async run(): Promise<Outcome> {
    const { stores, clock, zones } = this.#parts;
    if (this.#job.metadata.deletionTimestamp !== undefined) return settled;
    const fault = faultOf(this.#job);
    if (fault !== undefined) {
      this.#events.invalid(fault);
      return giveUp(new Error(fault));
    }
    const children = childrenOf(this.#job, stores);
    const job = withTime(this.#job, this.#made);
    return this.#carryOut(plan({ job, children }, { now: clock.now(), zones }), children);
  }

  get #uid(): string {
    return this.#job.metadata.uid ?? '';
  }

  get #horizon(): Horizon | undefined {
    const { clock, zones } = this.#parts;
    return horizonOf(this.#job, clock.now(), zones);
  }

  get #made(): Instant | undefined {
    return this.#parts.untold.get(this.#uid);
  }

  /**
   * The time of the last job is known to all before a job goes that nothing else tells it. Where many have their time in the same second all of
   * their jobs are made first, and told of afterwards.
   */
  async #carryOut(next: Plan, children: readonly Child[]): Promise<Outcome> {
    for (const note of next.notes) this.#events.tell(note);
    const seen = statusOf(this.#job, children, { horizon: this.#horizon, scheduled: this.#made });
    const isNews = seen.lastScheduleTime !== this.#job.status?.lastScheduleTime;
    const first = isNews ? await this.#write(seen) : undefined;
    if (first !== undefined) return afterFailure(first);
    this.#parts.untold.delete(this.#uid);
    const startFailure = await this.#start(next);
    if (next.scheduled !== undefined && startFailure === undefined) {
      this.#parts.untold.set(this.#uid, next.scheduled);
      return lookAgain(milliseconds(0));
    }
    const writeFailure = await this.#conclude();
    const isTidy = writeFailure !== undefined || (await this.#tidyUp(next));
    const failure = writeFailure ?? startFailure;
    // The next time comes, however long the backoff has become.
    if (failure !== undefined) return afterFailure(failure, next.lookAgainAfter);
    return isTidy ? nextLook(next.lookAgainAfter) : lookAgain(milliseconds(0));
  }

  /** The new job comes once all that it replaces are deleted. @returns the error, if any */
  async #start({ start }: Plan): Promise<Error | undefined> {
    const [replaced, created] = [start.filter(({ kind }) => kind === 'DeleteChild'), start.filter(({ kind }) => kind === 'CreateChild')];
    const { error } = await this.#runActions([{ name: 'replace', actions: replaced, onFailure: 'Collect' }]);
    return error ?? (await this.#runActions([{ name: 'start', actions: created, onFailure: 'Stop' }])).error;
  }

  /** @returns whether no finished job is left to a pass that follows immediately; what is refused waits for the next time */
  async #tidyUp({ tidy }: Plan): Promise<boolean> {
    const burst = workloadLimits.actionsOfPass.value;
    const result = await this.#runActions([{ name: 'tidy', actions: tidy, onFailure: 'Log', pace: 'ByKind', burst }]);
    return !isCut(result) || (result.stages.get('tidy')?.failures ?? []).length > 0;
  }

  #runActions(stages: readonly Stage<Action>[]): Promise<PlanResult<Action>> {
    const { client, logger } = this.#parts;
    const io = { client, job: this.#job, events: this.#events };
    const about = { advancedCronJob: formatKey(keyOf(this.#job)) };
    return runPlan(stages, { execute: (action, signal) => execute(action, io, signal), logger, about }, this.#signal);
  }

  /** With the jobs as they are now. */
  #conclude(): Promise<Error | undefined> {
    return this.#write(statusOf(this.#job, childrenOf(this.#job, this.#parts.stores), { horizon: this.#horizon }));
  }

  /** @returns the error, if any */
  async #write(status: AdvancedCronJobStatus): Promise<Error | undefined> {
    const { client, stores } = this.#parts;
    const next = { object: this.#job, status };
    try {
      this.#job = (await writeNewestStatus(advancedCronJobs, next, { client, store: stores.cronJobs }, this.#signal)) ?? this.#job;
      return undefined;
    } catch (error) {
      return asError(error);
    }
  }
}

/** Its own status is no news to it. */
const requestsForCronJob = (event: StoreEvent<AdvancedCronJob>): readonly ObjectKey[] =>
  event.kind === 'Added' || (event.kind === 'Updated' && event.object.metadata.generation !== event.previous.metadata.generation)
    ? [keyOf(event.object)]
    : [];

const ownersOf = enqueueOwner(advancedCronJobs);

/** A child that begins or ends; one that goes is no reason to run anything. */
const requestsForChild =
  <T extends KubeObject>(seen: (object: T) => Child) =>
  (event: StoreEvent<T>): readonly ObjectKey[] => {
    const isNews = event.kind === 'Added' || (event.kind === 'Updated' && seen(event.object).state !== seen(event.previous).state);
    return isNews ? ownersOf(event) : [];
  };

const childSource = <T extends KubeObject>(informer: Informer<T>, seen: (object: T) => Child): ChildSource => ({
  watch: watchInformer(informer, requestsForChild(seen)),
  childrenOf: ({ metadata: { uid = '', namespace = '' } }) =>
    informer.store
      .byIndex(byOwner, uid, { namespace })
      .filter((object) => controllerOf(object)?.uid === uid)
      .map(seen),
});

function define(dependencies: ControllerDependencies): ControllerWork {
  const { caches, installed } = dependencies;
  const cronJobs = caches.of(advancedCronJobs);
  const children = [
    childSource(caches.of(jobType, byOwner), childOfJob),
    ...(isInstalled(broadcastJobDeclaration, installed) ? [childSource(caches.of(broadcastJobs, byOwner), childOfBroadcastJob)] : []),
    ...(isInstalled(imageListPullJobDeclaration, installed) ? [childSource(caches.of(imageListPullJobs, byOwner), childOfImageList)] : []),
  ];
  const stores: Stores = { cronJobs: cronJobs.store, children };
  const parts: Parts = { ...dependencies, stores, zones: createZoneLoader(), untold: new Map() };
  return {
    watches: [
      watchInformer(cronJobs, requestsForCronJob),
      onEvent(cronJobs, ({ kind, object }) => {
        if (kind === 'Deleted') parts.untold.delete(object.metadata.uid ?? '');
      }),
      ...children.map((source) => source.watch),
    ],
    reconcile: async (key, signal) => {
      const job = stores.cronJobs.get(key);
      return job === undefined ? settled : new Pass(job, parts, signal).run();
    },
  };
}

export const advancedCronJobController: ControllerModule = { name, workers: 'advancedcronjob-workers', define };
