/**
 * Whether the Pods of a subset find nodes, by mode Adaptive:
 *
 *   schedulable --a Pod has waited too long--> unschedulable --no Pod waits, and unschedulableDuration is over--> schedulable
 *
 * Pure. @see spec/uniteddeployment.md 5.4
 */
import type { UnitedDeploymentStatus } from '@kruise/api';
import {
  counted,
  findCondition,
  formatTime,
  milliseconds,
  parseTime,
  removeCondition,
  setCondition,
  type Condition,
  type Instant,
} from '@kruise/objects';
import { pendingTimeout } from '@kruise/pods';
import type { Mode } from '../snapshot/modes.ts';
import type { Child } from '../snapshot/snapshot.ts';

export type SubsetStatus = NonNullable<UnitedDeploymentStatus['subsetStatuses']>[number];
type SubsetConditions = NonNullable<SubsetStatus['conditions']>;
export type Schedulable =
  Condition<'Schedulable', 'False', 'reschedule' | 'created'> | Condition<'Schedulable', 'True', 'recover' | 'reschedule'>;

/** The condition of a subset, and what follows for it. */
export interface Verdict {
  readonly isUnschedulable: boolean;
  /** Pods that do not run, and whose place is elsewhere: those that have waited for a node too long, or that others run substitutes for. */
  readonly stuck: number;
  /** Undefined leaves the condition as it is. */
  readonly condition?: Schedulable;
  /** When time alone may change the verdict. */
  readonly waits: readonly number[];
}

const schedulableOf = (status: SubsetStatus | undefined) => findCondition(status?.conditions, 'Schedulable');

/** Whether the subset is known to be short of nodes, from the pass before. */
export const isMarked = (status: SubsetStatus | undefined): boolean => schedulableOf(status)?.status === 'False';

/** Equal status and reason change nothing; otherwise the time moves even when only the reason differs. */
export function withSchedulable(list: SubsetConditions | undefined, next: Schedulable, now: Instant): SubsetConditions {
  const held = findCondition(list, next.type);
  if (held !== undefined && held.status === next.status && held.reason === next.reason) return list ?? [];
  return setCondition(removeCondition(list, next.type), { ...next, lastTransitionTime: formatTime(now) }, now);
}

/** A duration in seconds, for messages. */
const inSeconds = (length: number): string => `${length / 1000} s`;

/**
 * The verdict over a subset with a child.
 *
 * @param status of the subset in the pass before
 */
export function judgeScheduling({ object, pods }: Child, status: SubsetStatus | undefined, mode: Mode, now: Instant): Verdict {
  const { critical, unschedulable } = mode;
  const { replicas = 0, readyReplicas = 0 } = object.status ?? {};
  const isShort = readyReplicas < Math.max(replicas, pods.length);
  const timeouts = isShort ? pods.map((pod) => pendingTimeout(pod, critical, now)) : [];
  const late = timeouts.filter(({ kind }) => kind === 'TimedOut').length;
  const checks = timeouts.flatMap((timeout) => (timeout.kind === 'Waiting' ? [timeout.checkAfter] : []));
  if (late > 0) {
    const message = `${counted(late, 'Pod has waited', 'Pods have waited')} for a node for more than ${inSeconds(critical)}`;
    return {
      isUnschedulable: true,
      stuck: late,
      condition: { type: 'Schedulable', status: 'False', reason: 'reschedule', message },
      waits: [...checks, unschedulable],
    };
  }
  const held = schedulableOf(status);
  if (held?.status !== 'False') return { isUnschedulable: false, stuck: 0, waits: checks };
  const left = milliseconds((parseTime(held.lastTransitionTime) ?? now) + unschedulable - now);
  if (left > 0) return { isUnschedulable: true, stuck: 0, waits: [...checks, left] };
  const message = `no Pod has waited for a node for ${inSeconds(unschedulable)}`;
  return {
    isUnschedulable: false,
    stuck: 0,
    condition: { type: 'Schedulable', status: 'True', reason: 'recover', message },
    waits: checks,
  };
}
