/**
 * The condition Progressing: whether a rollout gets on within `spec.progressDeadlineSeconds`.
 *
 * The deadline is counted from when the condition last became CloneSetUpdated, so a CloneSet that was at rest for long does not miss it at
 * the start of its next rollout. Once exceeded it stays so until the CloneSet is available, paused, at its partition, or given a new
 * revision.
 * @see spec/cloneset.md 5.8
 */
import type { CloneSet, CloneSetStatus } from '@kruise/api';
import { findCondition, milliseconds, parseTime, progressConditionRule, removeCondition, setCondition, type Condition, type Instant, type Milliseconds } from '@kruise/objects';
import { isPaused, replicasOf } from './strategy.ts';

export type Progressing =
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
  return held?.reason !== 'CloneSetUpdated' || since === undefined ? undefined : ((since + (cloneSet.spec.progressDeadlineSeconds ?? 0) * 1000) as Instant);
}

function judge(cloneSet: CloneSet, status: CloneSetStatus, now: Instant): Progressing {
  const replicas = replicasOf(cloneSet);
  const conditions = status.conditions ?? [];
  const { updatedReplicas, updatedAvailableReplicas = 0, expectedUpdatedReplicas = 0 } = status;
  const isComplete = [status.replicas, updatedReplicas, updatedAvailableReplicas].every((count) => count === replicas);
  if (status.currentRevision === status.updateRevision && isComplete) return progressing('CloneSetAvailable', 'CloneSet is available');
  if (isPaused(cloneSet)) return progressing('CloneSetPaused', 'CloneSet is paused');
  if (expectedUpdatedReplicas < replicas && expectedUpdatedReplicas <= updatedAvailableReplicas) {
    return progressing('ProgressPartitionAvailable', 'CloneSet has been paused due to partition ready');
  }
  const isSameRevision = cloneSet.status?.updateRevision === status.updateRevision;
  const wasExceeded = isSameRevision && findCondition(conditions, 'Progressing')?.reason === 'ProgressDeadlineExceeded';
  const deadline = deadlineOf(cloneSet, conditions);
  if (wasExceeded || (isSameRevision && deadline !== undefined && deadline < now)) {
    return { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: `CloneSet revision ${status.updateRevision ?? ''} has timed out progressing` };
  }
  return progressing('CloneSetUpdated', 'CloneSet is progressing');
}

export interface ProgressingResult {
  readonly conditions: Conditions;
  /** When the deadline must be looked at again. */
  readonly lookAgainAfter?: Milliseconds;
}

/** A new revision starts its deadline anew, although reason and status may stay the same. */
function withFreshDeadline(cloneSet: CloneSet, status: CloneSetStatus): Conditions {
  const conditions = status.conditions ?? [];
  const isNewRevision = cloneSet.status?.updateRevision !== undefined && cloneSet.status.updateRevision !== status.updateRevision;
  return isNewRevision && findCondition(conditions, 'Progressing')?.reason === 'CloneSetUpdated' ? removeCondition(conditions, 'Progressing') : conditions;
}

/** @param status with its counters computed and the conditions as observed */
export function planProgressing(cloneSet: CloneSet, status: CloneSetStatus, now: Instant): ProgressingResult {
  const seconds = cloneSet.spec.progressDeadlineSeconds;
  if (seconds === undefined || seconds === noDeadline) return { conditions: removeCondition(status.conditions, 'Progressing') };
  const next = judge(cloneSet, status, now);
  const conditions = setCondition(withFreshDeadline(cloneSet, status), next, now, progressConditionRule) as Conditions;
  const deadline = deadlineOf(cloneSet, conditions);
  if (next.reason !== 'CloneSetUpdated' || deadline === undefined) return { conditions };
  return { conditions, lookAgainAfter: milliseconds(Math.max(deadline - now + 1000, 1000)) };
}
