/**
 * The condition Progressing: whether a rollout gets on within `spec.progressDeadlineSeconds`.
 *
 * The deadline is counted from when the condition last became CloneSetUpdated, so a CloneSet that was at rest for long does not miss it at
 * the start of its next rollout. Once exceeded it stays so until the CloneSet is available, paused, at its partition, or given a new
 * revision.
 * @see spec/cloneset.md 5.8
 */
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import {
  findCondition,
  milliseconds,
  parseTime,
  progressConditionRule,
  removeCondition,
  setCondition,
  type Condition,
  type Instant,
  type Milliseconds,
} from '@kruise/objects';
import { isPaused, replicasOf } from '../snapshot/strategy.ts';

type Progressing =
  | Condition<'Progressing', 'True', 'CloneSetUpdated' | 'CloneSetAvailable' | 'CloneSetPaused' | 'ProgressPartitionAvailable'>
  | Condition<'Progressing', 'False', 'ProgressDeadlineExceeded'>;

export type Conditions = NonNullable<CloneSetStatus['conditions']>;

const noDeadline = 2147483647;

type GoodReason = NonNullable<Extract<Progressing, { status: 'True' }>['reason']>;

const progressing = (reason: GoodReason, message: string): Progressing => ({ type: 'Progressing', status: 'True', reason, message });

/** When the deadline passes; undefined when no deadline runs. */
function deadlineOf(cloneSet: CloneSet, conditions: Conditions): Instant | undefined {
  const held = findCondition(conditions, 'Progressing');
  const since = parseTime(held?.lastUpdateTime ?? held?.lastTransitionTime);
  return held?.reason !== 'CloneSetUpdated' || since === undefined
    ? undefined
    : ((since + (cloneSet.spec.progressDeadlineSeconds ?? 0) * 1000) as Instant);
}

/** Every Pod wanted is there, updated and available, and the rollout is over. */
function isComplete(
  cloneSet: CloneSet,
  { replicas, updatedReplicas, updatedAvailableReplicas, currentRevision, updateRevision }: CloneSetStatus,
): boolean {
  return (
    currentRevision === updateRevision &&
    [replicas, updatedReplicas, updatedAvailableReplicas].every((count) => count === replicasOf(cloneSet))
  );
}

function hasReachedPartition(cloneSet: CloneSet, { expectedUpdatedReplicas = 0, updatedAvailableReplicas = 0 }: CloneSetStatus): boolean {
  return expectedUpdatedReplicas < replicasOf(cloneSet) && expectedUpdatedReplicas <= updatedAvailableReplicas;
}

function isOverdue(cloneSet: CloneSet, status: CloneSetStatus, now: Instant): boolean {
  if (cloneSet.status?.updateRevision !== status.updateRevision) return false;
  const conditions = status.conditions ?? [];
  const deadline = deadlineOf(cloneSet, conditions);
  return findCondition(conditions, 'Progressing')?.reason === 'ProgressDeadlineExceeded' || (deadline !== undefined && deadline < now);
}

function judge(cloneSet: CloneSet, status: CloneSetStatus, now: Instant): Progressing {
  if (isComplete(cloneSet, status)) return progressing('CloneSetAvailable', 'CloneSet is available');
  if (isPaused(cloneSet)) return progressing('CloneSetPaused', 'CloneSet is paused');
  if (hasReachedPartition(cloneSet, status))
    return progressing('ProgressPartitionAvailable', 'CloneSet has been paused due to partition ready');
  if (!isOverdue(cloneSet, status, now)) return progressing('CloneSetUpdated', 'CloneSet is progressing');
  return {
    type: 'Progressing',
    status: 'False',
    reason: 'ProgressDeadlineExceeded',
    message: `CloneSet revision ${status.updateRevision ?? ''} has timed out progressing`,
  };
}

export interface ProgressingResult {
  readonly conditions: Conditions;
  /** When the deadline must be looked at again. */
  readonly requeueAfter?: Milliseconds;
}

/** A new revision restarts the deadline, even if reason and status stay the same. */
function withFreshDeadline(cloneSet: CloneSet, status: CloneSetStatus): Conditions {
  const conditions = status.conditions ?? [];
  const isNewRevision = cloneSet.status?.updateRevision !== undefined && cloneSet.status.updateRevision !== status.updateRevision;
  return isNewRevision && findCondition(conditions, 'Progressing')?.reason === 'CloneSetUpdated'
    ? removeCondition(conditions, 'Progressing')
    : conditions;
}

/** @param status with its counters computed and the conditions as observed */
export function planProgressing(cloneSet: CloneSet, status: CloneSetStatus, now: Instant): ProgressingResult {
  const seconds = cloneSet.spec.progressDeadlineSeconds;
  if (seconds === undefined || seconds === noDeadline) return { conditions: removeCondition(status.conditions, 'Progressing') };
  const next = judge(cloneSet, status, now);
  const conditions = setCondition<Conditions[number]>(withFreshDeadline(cloneSet, status), next, now, progressConditionRule);
  const deadline = deadlineOf(cloneSet, conditions);
  if (deadline === undefined) return { conditions };
  return { conditions, requeueAfter: milliseconds(Math.max(deadline - now + 1000, 1000)) };
}
