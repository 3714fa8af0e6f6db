/**
 * Pods that other subsets run substitutes for, by mode Reservation. Each carries a label that says whether it is one:
 *
 *   none --its subset is marked, or it finds no node, or its update takes too long--> "true"
 *   "true" --runs at the updated revision, ready for unschedulableDuration--> "false"
 *
 * Pure. @see spec/uniteddeployment.md 5.4
 */
import { unitedDeploymentLabels } from '@kruise/api';
import { isPodActive, parseTime, podCondition, type Instant, type Pod } from '@kruise/objects';
import { pendingTimeout } from '@kruise/pods';
import type { Mode } from './modes.ts';
import { isMarked, type SubsetStatus, type Verdict } from './schedulable.ts';
import type { Child } from './snapshot.ts';

/** What a pass knows of the rollout. */
export interface RolloutSeen {
  /** Name of the updated revision. */
  readonly revision: string;
  /** When the present rollout began, or the last one ended. */
  readonly since: Instant | undefined;
  /** Pods that the subset keeps at its old revision. */
  readonly partition: number;
}

export interface ReserveVerdict extends Verdict {
  readonly reserved: number;
  /** Pods that are still to be created in a subset that is short of nodes: they will begin as reserved. */
  readonly missing: number;
  /** Pods whose update takes too long. */
  readonly late: number;
  /** Pods whose label is to be written. */
  readonly labels: readonly { readonly pod: Pod; readonly isReserved: boolean }[];
}

interface PodVerdict {
  readonly isReserved: boolean;
  readonly isLate?: boolean;
  readonly wait?: number;
}

const labelOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[unitedDeploymentLabels.reservedPod];
export const revisionOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[unitedDeploymentLabels.revision];

/** Whether a reserved Pod goes on as one. */
function judgeReserved(pod: Pod, { revision }: RolloutSeen, { unschedulable }: Mode, now: Instant): PodVerdict {
  const ready = podCondition(pod, 'Ready');
  const since = ready?.status === 'True' ? parseTime(ready.lastTransitionTime) : undefined;
  if (pod.status?.phase !== 'Running' || revisionOf(pod) !== revision || since === undefined)
    return { isReserved: true, wait: unschedulable };
  const left = since + unschedulable - now;
  return left < 0 ? { isReserved: false } : { isReserved: true, wait: Math.max(left, 1) };
}

function judgeUpdated(pod: Pod, { critical, unschedulable }: Mode, now: Instant): PodVerdict {
  const timeout = pendingTimeout(pod, critical, now);
  if (timeout.kind === 'TimedOut') return { isReserved: true, wait: unschedulable };
  return timeout.kind === 'Waiting' ? { isReserved: false, wait: timeout.checkAfter } : { isReserved: false };
}

/** A Pod of an old revision, which the partition does not keep. */
function judgeOutdated({ since }: RolloutSeen, { critical, unschedulable }: Mode, now: Instant): PodVerdict {
  if (since === undefined) return { isReserved: false };
  const left = since + critical - now;
  return left < 0 ? { isReserved: true, isLate: true, wait: unschedulable } : { isReserved: false, wait: Math.max(left, 1) };
}

/** @param status of the subset in the pass before */
export function judgeReserves(
  { object, pods }: Child,
  status: SubsetStatus | undefined,
  { rollout, mode, now }: { readonly rollout: RolloutSeen; readonly mode: Mode; readonly now: Instant },
): ReserveVerdict {
  const active = pods.filter(isPodActive);
  const marked = isMarked(status);
  const outdated = active.filter((pod) => revisionOf(pod) !== rollout.revision).length;
  const judge = (pod: Pod): PodVerdict => {
    const label = labelOf(pod);
    if (marked && label === undefined) return { isReserved: true, wait: mode.unschedulable };
    if (label === 'true') return judgeReserved(pod, rollout, mode, now);
    if (revisionOf(pod) === rollout.revision) return judgeUpdated(pod, mode, now);
    return outdated > rollout.partition ? judgeOutdated(rollout, mode, now) : { isReserved: false };
  };
  const judged = active.map((pod) => ({ pod, verdict: judge(pod) }));
  const reserved = judged.filter(({ verdict }) => verdict.isReserved).length;
  const missing = marked ? Math.max((object.spec?.replicas ?? 1) - active.length, 0) : 0;
  return {
    reserved,
    missing,
    late: judged.filter(({ verdict }) => verdict.isLate === true).length,
    labels: judged
      .filter(({ pod, verdict }) => labelOf(pod) !== String(verdict.isReserved))
      .map(({ pod, verdict }) => ({ pod, isReserved: verdict.isReserved })),
    isUnschedulable: reserved + missing > 0,
    condition:
      reserved + missing > 0
        ? {
            type: 'Schedulable',
            status: 'False',
            reason: 'reschedule',
            message: `other subsets run substitutes for ${reserved + missing} Pods`,
          }
        : { type: 'Schedulable', status: 'True', reason: 'reschedule', message: 'no Pod is reserved' },
    waits: judged.flatMap(({ verdict }) => verdict.wait ?? []),
  };
}

/** A subset that was short of nodes and gets more Pods: these begin as reserved, and their substitutes stay until they run. */
export const probing = (verdict: ReserveVerdict): ReserveVerdict => ({
  ...verdict,
  condition: {
    type: 'Schedulable',
    status: 'False',
    reason: 'reschedule',
    message: 'there are nodes again, and more Pods are created to see for how many',
  },
});
