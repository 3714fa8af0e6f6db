/** What a kind declares to `planController`: the types of its rules, its sources, its rules, stages and events. */
import type { Client, Clock, EventRecorder, Request, StoreEvent, Watch, WithStatus } from '@kruise/kube';
import type { Instant, KubeObject, Milliseconds, ObjectKey, PlannedAction, ResourceType, Stage } from '@kruise/objects';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../module/kind-module.ts';
import type { RefusedObjects } from '../refusals/refused-objects.ts';
import type { Memory, ObjectSource } from './owner-memories.ts';
import type { Paced, PacedResult } from './run-paced.ts';

/** The types of a kind. Only its own rules read their members. */
export interface PlanTypes {
  readonly object: WithStatus;
  /** What `observe` reads: stores, and memories of the kind's own. */
  readonly known: object;
  readonly snapshot: object;
  readonly action: PlannedAction;
  readonly plan: ObjectPlan<WithStatus>;
  /** What an action or the conclusion reports besides success, for the status or an event. */
  readonly note?: unknown;
}

type StatusOf<T extends WithStatus> = NonNullable<T['status']>;
export type Status<K extends PlanTypes> = StatusOf<K['object']>;

/** The parts of a plan that every kind has. */
export interface ObjectPlan<T extends WithStatus> {
  /** The status to write before any action. If this write fails, the pass ends, except for the stages that `runsUnopened` names. */
  readonly opening?: StatusOf<T>;
  /** The status to write after the first stages. If absent, no status is written. */
  readonly status?: StatusOf<T>;
  readonly requeueAfter?: Milliseconds;
  /** Why the rules could not decide everything. The pass is repeated with backoff. */
  readonly failure?: Error;
}

/** What a kind reads, and which objects each event enqueues. */
export interface PlanSources<K extends PlanTypes> {
  readonly objects: ObjectSource<K['object']>;
  readonly known: K['known'];
  /** Returns what an event of an object of the kind enqueues. If absent, it is the key of the object. */
  readonly requestsOf?: (event: StoreEvent<K['object']>) => readonly Request[];
  /** Watches besides those of the objects of the kind. */
  readonly watches: readonly Watch[];
  /** Informers whose events enqueue nothing. */
  readonly caches?: NonNullable<ControllerWork['caches']>;
  /** Memories by uid, which forget an object when it is deleted. */
  readonly memories?: readonly Memory[];
  /** Returns the object of a key. Needed if some keys belong to objects of another kind. */
  readonly find?: (key: ObjectKey) => K['object'] | undefined;
  /** The other informers from which `find` returns objects. */
  readonly alsoFound?: readonly ObjectSource<KubeObject>[];
}

/** What `observe` gets besides the object. */
export interface PassView {
  readonly key: ObjectKey;
  readonly now: Instant;
  readonly refusals: RefusedObjects;
  readonly signal: AbortSignal;
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
}

/** What the writes and events of one pass use. */
export interface PlanIo<K extends PlanTypes> extends PassView {
  readonly object: K['object'];
  readonly known: K['known'];
  readonly logger: ControllerDependencies['logger'];
  /** Adds to {@link Passed.notes}. Actions call it. */
  readonly note: (note: K['note']) => void;
}

/** A pass that has been planned. */
export interface Planned<K extends PlanTypes> extends PlanIo<K> {
  readonly snapshot: K['snapshot'];
  readonly plan: K['plan'];
}

/** The results of the stages of a pass so far. */
export interface Passed<K extends PlanTypes> extends PacedResult<K['action']> {
  readonly notes: readonly K['note'][];
}

/** A pass at its end. */
interface Ended<K extends PlanTypes> extends Passed<K> {
  /** The written status, or the one that could not be written. */
  readonly status?: Status<K>;
  /** True if the status was written, or did not differ. */
  readonly isShown: boolean;
}

/** What the rules decide after the first stages. */
export interface Conclusion<K extends PlanTypes> {
  readonly status?: Status<K>;
  /** For `announce`, besides the notes of the actions. Dropped if the status cannot be written. */
  readonly notes?: readonly K['note'][];
  /** Replaces {@link PlanStages.after}, for stages that depend on the first ones or on a newer copy of the object. */
  readonly after?: readonly Stage<K['action']>[];
  /** Applies besides the time in the plan; the earlier one counts. */
  readonly requeueAfter?: Milliseconds;
  /** Applies besides the failure in the plan. */
  readonly failure?: Error;
  /** True if the next pass must do the rest of the plan. */
  readonly isOver?: boolean;
}

/**
 * A status that other processes also write, for example admission, which counts in it. An opening status and that of an object with a fault are replaced
 * on the version that was read.
 */
export interface SharedStatus {
  /**
   * What happens after another process has written first. `DecideAgain` calls `conclude` with the copy of the API server, up to five times. Otherwise the
   * pass ends without failure, and the next one begins after `requeueAfter`.
   */
  readonly onConflict: 'DecideAgain' | { readonly requeueAfter: Milliseconds };
}

interface PlanStages<A extends PlannedAction> {
  /** Run before the status is written. A failure that stops them ends the pass, and no status is written. */
  readonly before?: readonly Stage<A>[];
  /** Run after the status has been written. */
  readonly after?: readonly Stage<A>[];
}

export interface PlanDefinition<K extends PlanTypes> extends Omit<ControllerModule, 'define'> {
  readonly type: ResourceType<K['object']>;
  readonly sources: (dependencies: ControllerDependencies) => PlanSources<K>;
  /** Returns true if another controller or the garbage collector does everything that the object still needs. */
  readonly leaves?: (object: K['object'], known: K['known']) => boolean;
  /** Handles a key without an object. If absent, such a pass does nothing. */
  readonly whenAbsent?: (io: Omit<PlanIo<K>, 'object'>) => Promise<unknown>;
  readonly rules: {
    /** Returns why the rules cannot work with the object; undefined if they can. */
    readonly examine?: (object: K['object']) => string | undefined;
    readonly observe: (known: K['known'], object: K['object'], view: PassView) => K['snapshot'] | Promise<K['snapshot']>;
    readonly plan: (snapshot: K['snapshot'], now: Instant, known: K['known']) => K['plan'];
    /**
     * Returns the status after the first stages. If absent, it is {@link ObjectPlan.status}. For a {@link SharedStatus}, `pass.object` is the newest copy,
     * and the rule is called again for each newer one.
     */
    readonly conclude?: (pass: Planned<K>, passed: Passed<K>) => Conclusion<K>;
  };
  readonly malformed?: {
    /** Writes the event. Called in every pass; if the kind has `status` below, only after a new status was written. */
    readonly announce: (io: PlanIo<K>, why: string) => void;
    readonly status?: (object: K['object'], why: string) => Status<K>;
  };
  /**
   * How the status is written. `Newest` replaces it, on the object as the writes of the pass have left it. A {@link SharedStatus} is replaced on exactly
   * the copy that `conclude` has decided on. If absent, no status is written.
   *
   * @see StatusWrite.how
   */
  readonly status?: 'Merge' | 'Replace' | 'Newest' | SharedStatus;
  readonly stages: (plan: K['plan'], object: K['object'], known: K['known']) => PlanStages<K['action']>;
  /**
   * Returns whether a stage before the status also runs if the opening status could not be written. The pass then continues with these stages, and is
   * repeated for the opening status. If absent, such a pass ends.
   *
   * @param error of this write, or of an earlier one whose wait has not ended
   */
  readonly runsUnopened?: (stage: string, error: Error) => boolean;
  /** Returns the subjects of an action. If absent, actions have none. @see RefusedObjects.attempt */
  readonly subjectsOf?: Paced<K['action']>['subjectsOf'];
  readonly objectOf?: Paced<K['action']>['objectOf'];
  readonly execute: (action: K['action'], pass: Planned<K>, signal: AbortSignal) => Promise<unknown>;
  /** Writes events about the plan, before any other write. */
  readonly announcePlan?: (pass: Planned<K>) => void;
  /**
   * Writes events about the plan after the opening status and before any action. Called in every pass.
   *
   * @param error why the opening status could not be written; absent if it was written, did not differ, or the plan has none
   */
  readonly announceOpening?: (pass: Planned<K>, error: Error | undefined) => void;
  /** Writes the events of a pass, after its status. An error in `held` belongs to an earlier pass, which has announced it. */
  readonly announce?: (pass: Planned<K>, ended: Ended<K>) => void;
}
