/** What a kind declares to `planController`: the types of its rules, its sources, its rules, stages and events. */
import type { Client, Clock, EventRecorder, Request, StoreEvent, Watch, WithStatus } from '@kruise/kube';
import type { Instant, KubeObject, Milliseconds, ObjectKey, PlannedAction, ResourceType, Stage } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import type { RefusedObjects } from '../refusals/refused-objects.ts';
import type { Memory, ObjectSource } from './owner-memories.ts';
import type { Paced, PacedResult } from './run-paced.ts';

/** The types of a kind that only its own rules look into. */
export interface PlanTypes {
  readonly object: WithStatus;
  /** What `observe` reads: stores, and memories of the kind's own. */
  readonly known: object;
  readonly snapshot: object;
  readonly action: PlannedAction;
  readonly plan: ObjectPlan<WithStatus>;
  /** What an action reports beside its success, for the status or an event. */
  readonly note?: unknown;
}

type StatusOf<T extends WithStatus> = NonNullable<T['status']>;
export type Status<K extends PlanTypes> = StatusOf<K['object']>;

/** The parts of a plan that every kind has. */
export interface ObjectPlan<T extends WithStatus> {
  /** Written before any action; where that fails, the pass ends. */
  readonly opening?: StatusOf<T>;
  /** Written after the first stages. The status stays as it is when absent. */
  readonly status?: StatusOf<T>;
  readonly requeueAfter?: Milliseconds;
  /** What kept the rules from deciding everything; the pass is repeated with backoff. */
  readonly failure?: Error;
}

/** What a kind reads, and which objects each event enqueues. */
export interface PlanSources<K extends PlanTypes> {
  readonly objects: ObjectSource<K['object']>;
  readonly known: K['known'];
  /** Which keys an event of its own objects enqueues: that of the object when absent. */
  readonly wakes?: (event: StoreEvent<K['object']>) => readonly Request[];
  /** Beside those of the kind's own objects. */
  readonly watches: readonly Watch[];
  /** Informers that enqueue no object. */
  readonly caches?: NonNullable<ControllerWork['caches']>;
  /** Memories by uid of an object, which forget an object that is deleted. */
  readonly memories?: readonly Memory[];
  /** What a pass over a key is about, where that is not always an object of the kind. */
  readonly find?: (key: ObjectKey) => K['object'] | undefined;
  /** Informers beside `objects` of what `find` returns. */
  readonly alsoFound?: readonly ObjectSource<KubeObject>[];
}

/** What a pass knows of its object beside the object itself. */
export interface PassView {
  readonly key: ObjectKey;
  readonly now: Instant;
  readonly refusals: RefusedObjects;
  readonly signal: AbortSignal;
}

/** What one pass is carried out with. */
export interface PlanIo<K extends PlanTypes> extends PassView {
  readonly object: K['object'];
  readonly known: K['known'];
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly logger: ControllerDependencies['logger'];
  /** Called by an action, for {@link Passed.notes}. */
  readonly note: (note: K['note']) => void;
}

/** One pass as it was planned. */
export interface Planned<K extends PlanTypes> extends PlanIo<K> {
  readonly snapshot: K['snapshot'];
  readonly plan: K['plan'];
}

/** What came of the stages of a pass so far. */
export interface Passed<K extends PlanTypes> extends PacedResult<K['action']> {
  readonly notes: readonly K['note'][];
}

/** A pass at its end. */
export interface Ended<K extends PlanTypes> extends Passed<K> {
  /** The written status, or the one that could not be written. */
  readonly status?: Status<K>;
  /** Whether the status is written, or did not differ. */
  readonly isShown: boolean;
}

/** What is left of a pass after its first stages. */
export interface Conclusion<T extends WithStatus> {
  readonly status?: StatusOf<T>;
  /** Beside the time of the plan. */
  readonly requeueAfter?: Milliseconds;
  /** Beside that of the plan. */
  readonly failure?: Error;
  /** Whether the rest of the plan is left to the next pass. */
  readonly isOver?: boolean;
}

interface PlanStages<A extends PlannedAction> {
  /** A failure that stops them ends the pass without a status. */
  readonly before?: readonly Stage<A>[];
  /** Run once the status is written. */
  readonly after?: readonly Stage<A>[];
}

export interface PlanDefinition<K extends PlanTypes> extends Omit<ControllerModule, 'define'> {
  readonly type: ResourceType<K['object']>;
  readonly sources: (dependencies: ControllerDependencies) => PlanSources<K>;
  /** Whether a pass over the object does nothing, because another controller or the garbage collector does all that is left. */
  readonly leaves?: (object: K['object'], known: K['known']) => boolean;
  /** What is left to do for a key without an object: nothing when absent. */
  readonly whenAbsent?: (io: Omit<PlanIo<K>, 'object'>) => Promise<unknown>;
  readonly rules: {
    /** Why the rules cannot work with the object; undefined when they can. */
    readonly examine?: (object: K['object']) => string | undefined;
    readonly observe: (known: K['known'], object: K['object'], view: PassView) => K['snapshot'] | Promise<K['snapshot']>;
    readonly plan: (snapshot: K['snapshot'], now: Instant, known: K['known']) => K['plan'];
    /** By {@link ObjectPlan.status} when absent. */
    readonly conclude?: (pass: Planned<K>, passed: Passed<K>) => Conclusion<K['object']>;
  };
  readonly malformed?: {
    /** Called in every pass, or where the kind has a status for it, once that is written. */
    readonly announce: (io: PlanIo<K>, why: string) => void;
    readonly status?: (object: K['object'], why: string) => Status<K>;
  };
  /**
   * How the status is written. `Newest`: replaced, on the object as the pass's own writes have left it.
   *
   * @see StatusWrite.how
   */
  readonly status?: 'Merge' | 'Replace' | 'Newest';
  readonly stages: (plan: K['plan'], object: K['object']) => PlanStages<K['action']>;
  /** The subjects that an action is made for: none when absent. @see RefusedObjects.attempt */
  readonly subjectsOf?: Paced<K['action']>['subjectsOf'];
  readonly objectOf?: Paced<K['action']>['objectOf'];
  readonly execute: (action: K['action'], pass: Planned<K>, signal: AbortSignal) => Promise<unknown>;
  /** The events about what was found, before any write. */
  readonly announcePlan?: (pass: Planned<K>) => void;
  /** The events of a pass, once its status is written. An error in `held` is that of a former pass, and was announced then. */
  readonly announce?: (pass: Planned<K>, ended: Ended<K>) => void;
}
