/** What a pass over a workload is made from, and what comes of it. @see WorkloadPass */
import type { Client, Logger, StoreReader } from '@kruise/kube';
import type { Instant, KubeObject, Milliseconds, ResourceType, PlannedAction, PlanResult } from '@kruise/objects';
import type { BlockingCause, PassFailures, KstatusCounts, StatusMemory } from '@kruise/workloads';
import type { InDoubt } from '../refusals/in-doubt.ts';
import type { ReportedRefusals } from '../refusals/reported-refusals.ts';
import type { Paced } from './run-paced.ts';

/** What the status of every workload has. */
export interface WorkloadStatus {
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
    readonly lastTransitionTime?: string;
  }[];
  readonly collisionCount?: number;
}

export interface WorkloadObject<S extends WorkloadStatus> extends KubeObject {
  readonly status?: S;
}

/** How a kind reports its passes in its status. */
export interface PassKind<T extends WorkloadObject<S>, S extends WorkloadStatus> {
  readonly type: ResourceType<T>;
  /** The status as it is, complete enough to be written. */
  readonly heldStatus: (object: T) => S;
  /** The status of an object that the rules cannot work with: `heldStatus` with its generation observed when absent. */
  readonly malformedStatus?: (object: T) => S;
  /** The status of a pass whose update revision could not be written: Pods are counted, the spec does not count as observed. Absent without revisions. */
  readonly withoutUpdateRevision?: (object: T, status: S) => S;
  /** Conditions for what failed, and none for what did not. Absent when only `Blocked` reports it. */
  readonly withFailures?: (status: S, failures: PassFailures, now: Instant) => S;
  readonly isStatusChanged: (object: T, status: S) => boolean;
  /** What the conditions `Reconciling` and `Stalled` follow from. Absent for a kind that has none. */
  readonly kstatusCounts?: (object: T, status: S) => KstatusCounts;
  /** What it creates, deletes and updates, where that is not Pods. */
  readonly parts?: 'children';
}

/** What is left of a pass once its actions are done, or were refused. */
export interface Conclusion<S, A> {
  readonly status: S;
  readonly housekeeping: readonly A[];
  readonly blockedBy?: BlockingCause;
  readonly requeueAfter?: Milliseconds;
  /** Reports in events what the status says. Called unless the status is refused. */
  readonly announce?: () => void;
}

/** What came of ownership and labels. */
export interface Ground<A extends PlannedAction> {
  /** With `stoppedAt` when the pass ends here. */
  readonly result: PlanResult<A>;
  /** Places for which nothing else is done in this pass. */
  readonly refused: ReadonlySet<string>;
}

export interface PassTools<T, S extends object, A extends PlannedAction> extends Omit<Paced<A>, 'owner'> {
  readonly client: Client;
  readonly store: StoreReader<T & KubeObject>;
  readonly logger: Logger;
  readonly now: Instant;
  /** Writes to Pods without an answer; absent for a kind that changes no Pods. */
  readonly doubts?: InDoubt;
  /** Whether statuses have the conditions `Reconciling` and `Stalled` (gate KStatusConditions). */
  readonly hasKstatus: boolean;
  /** Which refusal of a guard the status names. */
  readonly guardRefusals: ReportedRefusals<A>;
  /** Holds back writes of the status that another pass makes better, and causes that do not last. */
  readonly memory: StatusMemory<S>;
  /**
   * Does one action for the object as it is at that moment.
   *
   * @param client `client`, reporting to the pass which actions wrote something before they failed
   */
  readonly execute: (action: A, object: T, signal: AbortSignal, client: Client) => Promise<unknown>;
}
