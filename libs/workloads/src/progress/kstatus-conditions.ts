/**
 * The conditions `Reconciling` and `Stalled`, which Flux and other tools that follow kstatus read: at most one of them exists, and none while the object is
 * as its user wants it. @see docs/decisions/kstatus.md
 */
import { conditionTypes } from '@kruise/api';
import { removeCondition, setCondition, type Instant } from '@kruise/objects';
import { withConditions, type StatusCondition, type WithConditions } from './blocked-condition.ts';
import type { BlockingCause, BlockingReason } from './blocking-cause.ts';

/** Pods of a workload, or nodes of a DaemonSet. */
export interface KstatusCounts {
  /** The number that the spec requests. */
  readonly desired: number;
  readonly present: number;
  readonly available: number;
  /** Of the update revision. */
  readonly updated: number;
}

/** What a cause means for a tool that waits: nothing, as the user has set it; slow progress; or a failure. */
type Meaning = 'Setting' | 'Wait' | 'Fault';

const meanings: Partial<Readonly<Record<BlockingReason, Meaning>>> = {
  Paused: 'Setting',
  OnDelete: 'Setting',
  PartitionReached: 'Setting',
  UpdateLimited: 'Setting',
  BudgetRefuses: 'Wait',
  WaitingForHook: 'Wait',
  WaitingForNames: 'Wait',
  ScaleLimited: 'Wait',
  ResizePending: 'Wait',
  Unschedulable: 'Wait',
  NotReady: 'Wait',
};

/** Returns what a cause means for a tool that waits for the workload. */
export const meaningOf = (reason: BlockingReason): Meaning => meanings[reason] ?? 'Fault';

/** The condition of the two that exists. */
interface Kstatus {
  readonly type: typeof conditionTypes.reconciling | typeof conditionTypes.stalled;
  readonly reason: string;
  readonly message: string;
}

/**
 * Returns what is left to do, in words without numbers: these would be written again with every Pod.
 *
 * @param isAtRest whether a setting of the user keeps the rest as it is
 */
function remainingWork({ desired, present, available, updated }: KstatusCounts, isAtRest: boolean): Omit<Kstatus, 'type'> | undefined {
  if (!isAtRest && updated < desired) return { reason: 'Updating', message: 'Pods are being updated' };
  if (!isAtRest && present !== desired) return { reason: 'Scaling', message: 'Pods are being created or deleted' };
  return available < Math.min(desired, isAtRest ? present : desired)
    ? { reason: 'WaitingForPods', message: 'Pods are not available yet' }
    : undefined;
}

function failureOf({ conditions = [] }: WithConditions, cause: BlockingCause | undefined): Omit<Kstatus, 'type'> | undefined {
  if (cause !== undefined && meaningOf(cause.reason) === 'Fault') return cause;
  const late = conditions.find(({ type, status }) => type === conditionTypes.progressing && status === 'False');
  return late === undefined ? undefined : { reason: late.reason ?? '', message: late.message ?? '' };
}

function progressOf(counts: () => KstatusCounts, cause: BlockingCause | undefined): Omit<Kstatus, 'type'> | undefined {
  if (cause === undefined) return remainingWork(counts(), false);
  if (meaningOf(cause.reason) === 'Wait') return cause;
  return cause.reason === 'Paused' ? undefined : remainingWork(counts(), true);
}

function kstatusOf(status: WithConditions, counts: () => KstatusCounts, cause: BlockingCause | undefined): Kstatus | undefined {
  const failure = failureOf(status, cause);
  if (failure !== undefined) return { type: conditionTypes.stalled, ...failure };
  const progress = progressOf(counts, cause);
  return progress === undefined ? undefined : { type: conditionTypes.reconciling, ...progress };
}

/** Returns the status without the two conditions. */
export function withoutKstatus<S extends WithConditions>(status: S): S {
  const { conditions: held = [] } = status;
  const rest = removeCondition(removeCondition(held, conditionTypes.reconciling), conditionTypes.stalled);
  return rest === held ? status : withConditions(status, rest);
}

/**
 * Returns the status with the condition of the two that applies, if any.
 *
 * @param counts called only when no fault decides: an object with one may lack what they are read from
 * @param cause what the condition `Blocked` names
 */
export function withKstatus<S extends WithConditions>(
  status: S,
  counts: () => KstatusCounts,
  cause: BlockingCause | undefined,
  now: Instant,
): S {
  const kstatus = kstatusOf(status, counts, cause);
  if (kstatus === undefined) return withoutKstatus(status);
  const { type, reason, message } = kstatus;
  const other = type === conditionTypes.stalled ? conditionTypes.reconciling : conditionTypes.stalled;
  const rest = removeCondition(status.conditions ?? [], other);
  return withConditions(status, setCondition<StatusCondition>(rest, { type, status: 'True', reason, message }, now));
}
