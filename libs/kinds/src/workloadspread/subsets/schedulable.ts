/** Whether Pods of a subset find nodes. Pure. @see spec/workloadspread.md 5.7 */
import type { MetaCondition, WorkloadSpread } from '@kruise/api';
import {
  findCondition,
  formatTime,
  parseTime,
  removeCondition,
  seconds,
  setCondition,
  type Instant,
  type Milliseconds,
  type Pod,
} from '@kruise/objects';
import { pendingTimeout } from '@kruise/pods';

const type = 'Schedulable';

/** A subset in which Pods found no node is omitted for so long. */
const unschedulableFor = seconds(300);

type Conditions = readonly MetaCondition[];

export interface SubsetSeen {
  readonly pods: readonly Pod[];
  readonly conditions: Conditions | undefined;
  /** The last takes what no other can: it is always schedulable. */
  readonly isLast: boolean;
}

export interface Schedulability {
  readonly conditions: Conditions;
  /** Pods that waited for too long. */
  readonly failed: readonly Pod[];
  /** It is tried again from now on. */
  readonly recovered: boolean;
  readonly requeueAfter: readonly Milliseconds[];
}

/** How long a Pod may wait for a node; undefined where Pods stay where they are. */
export function criticalTime({ spec }: Pick<WorkloadSpread, 'spec'>): Milliseconds | undefined {
  const { scheduleStrategy } = spec;
  const critical = scheduleStrategy?.adaptive?.rescheduleCriticalSeconds ?? 0;
  return scheduleStrategy?.type === 'Adaptive' && critical > 0 ? seconds(critical) : undefined;
}

export const isUnschedulable = (conditions: Conditions | undefined): boolean => findCondition(conditions, type)?.status === 'False';

const schedulable = { type, status: 'True', reason: 'Sufficient', message: '' } as const;
const unschedulable = { type, status: 'False', reason: 'PodUnschedulable', message: '' } as const;

function withCondition(conditions: Conditions | undefined, next: typeof schedulable | typeof unschedulable, now: Instant): Conditions {
  const stamped = { ...next, lastTransitionTime: formatTime(now) };
  return setCondition<MetaCondition>(conditions, stamped, now);
}

interface Waiting {
  readonly failed: readonly Pod[];
  readonly waits: readonly Milliseconds[];
}

function waitingOf(pods: readonly Pod[], critical: Milliseconds, now: Instant): Waiting {
  const failed: Pod[] = [];
  const waits: Milliseconds[] = [];
  for (const pod of pods) {
    const timeout = pendingTimeout(pod, critical, now);
    if (timeout.kind === 'TimedOut') failed.push(pod);
    if (timeout.kind === 'Waiting') waits.push(timeout.checkAfter);
  }
  return { failed, waits };
}

/** @param critical of {@link criticalTime} */
export function schedulabilityOf(
  { pods, conditions, isLast }: SubsetSeen,
  critical: Milliseconds | undefined,
  now: Instant,
): Schedulability {
  const quiet = { failed: [], recovered: false, requeueAfter: [] };
  if (critical === undefined) return { ...quiet, conditions: removeCondition(conditions, type) };
  if (isLast) return { ...quiet, conditions: withCondition(conditions, schedulable, now) };
  const { failed, waits } = waitingOf(pods, critical, now);
  const seen = { failed, recovered: false, requeueAfter: waits };
  if (failed.length > 0) {
    const next = withCondition(conditions, unschedulable, now);
    return { ...seen, conditions: next, requeueAfter: [...waits, ...leftOf(next, now)] };
  }
  const [left] = isUnschedulable(conditions) ? leftOf(conditions, now) : [];
  if (left !== undefined) return { ...seen, conditions: withCondition(conditions, unschedulable, now), requeueAfter: [...waits, left] };
  return { ...seen, conditions: withCondition(conditions, schedulable, now), recovered: isUnschedulable(conditions) };
}

/** How long it is still omitted; none when it is not any more. */
function leftOf(conditions: Conditions | undefined, now: Instant): readonly Milliseconds[] {
  const since = parseTime(findCondition(conditions, type)?.lastTransitionTime) ?? -Infinity;
  const left = since + unschedulableFor - now;
  return left > 0 ? [left as Milliseconds] : [];
}
