/**
 * The controller of a kind that owns Pods. A kind declares what it reads, its rules, and the stages of its plan; everything that is the same for all of
 * them is done here:
 *
 *   event -> key -> examine -> [malformed: condition, event] -> doubts -> observe -> plan -> revisions | stages -> status -> requeue
 */
import {
  enqueueSelf,
  onEvent,
  settled,
  watchInformer,
  type Client,
  type Clock,
  type EventRecorder,
  type Informer,
  type Outcome,
  type Request,
  type StoreEvent,
  type Watch,
} from '@kruise/kube';
import { keyOf, type Instant, type KubeObject, type ObjectKey, type Pod, type PlannedAction } from '@kruise/objects';
import {
  type ConfigurableKind,
  type ConfigurableWorkload,
  type Examined,
  StatusMemory,
  type PacedStatus,
  type PodAction,
} from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork, WorkersFlag } from '../../module/kind-module.ts';
import { ConfigRollout, type ConfiguredPass } from '../configs/config-rollout.ts';
import { InDoubt, whileInDoubt } from '../refusals/in-doubt.ts';
import { forgetting, type Memory } from './owner-memories.ts';
import type { PassKind, PassTools, WorkloadObject, WorkloadStatus } from './pass-parts.ts';
import { freesQuotaOf } from '../writes/pod-events.ts';
import { RefusedObjects } from '../refusals/refused-objects.ts';
import { ReportedRefusals } from '../refusals/reported-refusals.ts';
import { repeatedPass } from './repeated-pass.ts';
import { WorkloadPass } from './workload-pass.ts';

export type WellFormed = Extract<Examined, { readonly kind: 'WellFormed' }>;
type Malformed = Extract<Examined, { readonly kind: 'Malformed' }>;

/** The types of a kind that only its own rules look into. */
export interface WorkloadTypes {
  /** What `observe` reads: stores, and memories of the kind's own. */
  readonly known: object;
  /** What `examine` finds in an object that the rules can work with. */
  readonly examined: Pick<WellFormed, 'kind'>;
  readonly snapshot: object;
  /** What plans depend on beside the snapshot. */
  readonly context: { readonly now: Instant };
  readonly events: object;
}

/** The parts of a plan that every kind has. */
export interface WorkloadPlan<S, A> {
  /** Revisions that must be written before anything else; absent for a kind without revisions. */
  readonly revisions?: readonly A[];
  readonly status: S;
}

/** What the actions of one pass are carried out with. */
export interface WorkloadIo<T, C, E> {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: E;
  readonly object: T;
  readonly context: C;
  /** Whether the API server has refused an update in place lately. @see PodActionWriter.triesFirst */
  readonly triesFirst: boolean;
  /** Raised when a revision's name was taken; part of the status. */
  onCollisionCount(count: number): void;
}

/** What a kind reads, and which objects each event enqueues. */
export interface Sources<T extends KubeObject, K, E = WellFormed> {
  readonly objects: Informer<T>;
  readonly pods: Informer<Pod>;
  readonly known: K;
  /** Which keys an event of the kind's own objects enqueues: that of the object when absent. */
  readonly requestsOf?: (event: StoreEvent<T>) => readonly Request[];
  /** Beside those of the kind's own objects. */
  readonly watches: readonly Watch[];
  /** Informers that enqueue no object. */
  readonly caches: NonNullable<ControllerWork['caches']>;
  /** Waits until everything that a pass over a well-formed object reads is cached, where some of it is not cached from the start. */
  readonly ready?: (examined: E, signal: AbortSignal) => Promise<void>;
  /** Memories by uid of an owner, which forget an owner that is deleted. */
  readonly memories?: readonly Memory[];
}

/** What a pass knows of its object beside the object itself. */
export interface Seen {
  readonly refusals: RefusedObjects;
  readonly now: Instant;
}

/** One pass, in which a kind carries out its plan. */
export interface Round<T extends WorkloadObject<S>, S extends WorkloadStatus, A extends PlannedAction, K extends WorkloadTypes> {
  readonly object: T;
  readonly uid: string;
  readonly pass: WorkloadPass<T, S, A>;
  readonly events: K['events'];
  readonly known: K['known'];
  readonly snapshot: K['snapshot'];
  readonly now: Instant;
  readonly refusals: RefusedObjects;
  readonly dependencies: ControllerDependencies;
}

export interface WorkloadDefinition<
  T extends WorkloadObject<S>,
  S extends WorkloadStatus,
  A extends PlannedAction,
  P extends WorkloadPlan<S, A>,
  K extends WorkloadTypes,
> {
  /** In metrics, logs and events. */
  readonly name: string;
  readonly workers: WorkersFlag;
  readonly status: PassKind<T, S> & { readonly paced: PacedStatus<S> };
  readonly sources: (dependencies: ControllerDependencies) => Sources<T, K['known'], K['examined']>;
  readonly events: (recorder: EventRecorder, object: T) => K['events'];
  /** Whether a pass over an object that is being deleted does nothing, because the garbage collector deletes its Pods. */
  readonly leavesTerminating?: boolean;
  readonly rules: {
    readonly context: (
      dependencies: ControllerDependencies,
      seen: Seen & { readonly object: T; readonly known: K['known'] },
    ) => K['context'];
    readonly examine: (object: T) => K['examined'] | Malformed;
    readonly observe: (known: K['known'], object: T, seen: Seen & K['examined']) => K['snapshot'];
    readonly plan: (snapshot: K['snapshot'], context: K['context']) => P;
  };
  /** Present for a kind whose revisions may contain the hash of named ConfigMaps. */
  readonly configurable?: ConfigurableKind<K['snapshot'], T & ConfigurableWorkload>;
  /** The subjects that an action is made for. @see RefusedObjects.attempt */
  readonly subjectsOf: (action: A) => readonly string[];
  /** The object that waits once the action is refused, where it is not the one that the action names. */
  readonly objectOf?: (action: A) => string | undefined;
  /** Whether its actions write to Pods whose state plans depend on: true when absent. @see InDoubt */
  readonly changesPods?: boolean;
  /** The event about an object that the rules cannot work with. */
  readonly announceMalformed: (events: K['events'], why: string, object: T) => void;
  readonly execute: (action: A, io: WorkloadIo<T, K['context'], K['events']>, signal: AbortSignal, known: K['known']) => Promise<unknown>;
  /** Runs the stages of the plan, and concludes the pass. */
  readonly carryOut: (plan: P, round: Round<T, S, A, K>) => Promise<Outcome>;
}

class WorkloadReconciler<
  T extends WorkloadObject<S>,
  S extends WorkloadStatus,
  A extends PlannedAction,
  P extends WorkloadPlan<S, A>,
  K extends WorkloadTypes,
> {
  readonly #kind: WorkloadDefinition<T, S, A, P, K>;
  readonly #dependencies: ControllerDependencies;
  readonly #sources: Sources<T, K['known'], K['examined']>;
  readonly #recorder: EventRecorder;
  readonly #refusals: RefusedObjects;
  readonly #guardRefusals = new ReportedRefusals<A>();
  readonly #memory: StatusMemory<S>;
  readonly #doubts: InDoubt;
  readonly #configs: ConfigRollout<K['snapshot'], T & ConfigurableWorkload> | undefined;

  constructor(
    kind: WorkloadDefinition<T, S, A, P, K>,
    dependencies: ControllerDependencies,
    sources: Sources<T, K['known'], K['examined']>,
  ) {
    this.#kind = kind;
    this.#dependencies = dependencies;
    this.#sources = sources;
    this.#recorder = dependencies.recorderFor(kind.name);
    this.#refusals = new RefusedObjects(dependencies.clock);
    this.#memory = new StatusMemory(kind.status.paced);
    this.#doubts = new InDoubt(sources.pods.store, dependencies.flags['expectation-timeout']);
    this.#configs = kind.configurable === undefined ? undefined : new ConfigRollout(kind.configurable, dependencies);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { objects, ready } = this.#sources;
    const object = objects.store.get(key);
    if (object === undefined || (this.#kind.leavesTerminating === true && object.metadata.deletionTimestamp !== undefined)) return settled;
    const examined = this.#kind.rules.examine(object);
    if (examined.kind === 'WellFormed') await ready?.(examined, signal);
    // A change while caches were filled has queued another pass.
    return objects.store.get(key) === object ? this.#pass(object, examined, signal) : settled;
  }

  async #pass(object: T, examined: K['examined'] | Malformed, signal: AbortSignal): Promise<Outcome> {
    const { rules, announceMalformed, carryOut, events: eventsOf } = this.#kind;
    const { known, objects } = this.#sources;
    const { uid = '' } = object.metadata;
    const now = this.#dependencies.clock.now();
    const context = rules.context(this.#dependencies, { refusals: this.#refusals, now, object, known });
    const events = eventsOf(this.#recorder, object);
    let collisionCount = object.status?.collisionCount ?? 0;
    const io: Omit<WorkloadIo<T, K['context'], K['events']>, 'client' | 'object'> = {
      clock: this.#dependencies.clock,
      context,
      events,
      triesFirst: this.#refusals.isKindRefused(uid, 'UpdatePodInPlace' satisfies PodAction['kind']),
      onCollisionCount: (count) => (collisionCount = Math.max(collisionCount, count)),
    };
    const pass = new WorkloadPass<T, S, A>(this.#kind.status, object, this.#toolsOf(io), signal);
    if (examined.kind === 'Malformed') return pass.refuse(examined.why, (why) => announceMalformed(events, why, object));
    if (await pass.isInDoubt()) return whileInDoubt;
    // Its memories have forgotten a workload that was deleted meanwhile, and no later event would make them forget it again.
    if (objects.store.get(keyOf(object))?.metadata.uid !== object.metadata.uid) return settled;
    const configured = this.#configured(rules.observe(known, object, { ...examined, refusals: this.#refusals, now }), now);
    pass.note(configured.note);
    if (configured.kind === 'Wait') return pass.wait();
    const { snapshot } = configured;
    const next = rules.plan(snapshot, context);
    const { revisions = [], status } = next;
    if (revisions.length > 0) return pass.makeRevisions(revisions, status, () => collisionCount);
    return carryOut(next, { object, uid, pass, events, known, snapshot, now, refusals: this.#refusals, dependencies: this.#dependencies });
  }

  #configured(snapshot: K['snapshot'], now: Instant): ConfiguredPass<K['snapshot']> {
    return this.#configs?.configure(snapshot, now) ?? { kind: 'Plan', snapshot, note: {} };
  }

  /** Beside those of the kind's sources. */
  watches(): readonly Watch[] {
    return this.#configs?.watches() ?? [];
  }

  #toolsOf(io: Omit<WorkloadIo<T, K['context'], K['events']>, 'client' | 'object'>): PassTools<T, S, A> {
    const { subjectsOf, objectOf, execute } = this.#kind;
    const { objects, known } = this.#sources;
    return {
      client: this.#dependencies.client,
      logger: this.#dependencies.logger,
      store: objects.store,
      now: io.context.now,
      memory: this.#memory,
      hasKstatus: this.#dependencies.gates.KStatusConditions,
      ...(this.#kind.changesPods === false ? {} : { doubts: this.#doubts }),
      refusals: this.#refusals,
      guardRefusals: this.#guardRefusals,
      subjectsOf,
      ...(objectOf === undefined ? {} : { objectOf }),
      execute: (action, object, signal, client) => execute(action, { ...io, client, object }, signal, known),
    };
  }

  /** @param uid of the owner of a Pod that no longer counts in quotas */
  freed(uid: string | undefined): void {
    this.#refusals.freed(uid);
  }

  /** Called for every object of the kind that is deleted. */
  forget(uid: string): void {
    const { memories = [] } = this.#sources;
    for (const memory of [this.#refusals, this.#guardRefusals, this.#memory, this.#doubts, this.#configs, ...memories]) memory?.forget(uid);
  }
}

/** The controller of a workload kind, made from what the kind declares. */
export function workloadController<
  T extends WorkloadObject<S>,
  S extends WorkloadStatus,
  A extends PlannedAction,
  P extends WorkloadPlan<S, A>,
  K extends WorkloadTypes,
>(kind: WorkloadDefinition<T, S, A, P, K>): ControllerModule {
  const define = (dependencies: ControllerDependencies): ControllerWork => {
    const sources = kind.sources(dependencies);
    const reconciler = new WorkloadReconciler(kind, dependencies, sources);
    return {
      watches: [
        onEvent(sources.pods, (event) => reconciler.freed(freesQuotaOf(event))),
        forgetting(sources.objects, [reconciler]),
        watchInformer(sources.objects, sources.requestsOf ?? enqueueSelf),
        ...sources.watches,
        ...reconciler.watches(),
      ],
      caches: sources.caches,
      reconcile: (key, signal) => repeatedPass(() => reconciler.reconcile(key, signal)),
    };
  };
  return { name: kind.name, workers: kind.workers, define };
}
