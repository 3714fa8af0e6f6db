/**
 * Pods that other subsets run substitutes for, by mode Reservation. Each carries a label that says whether it is one:
 *
 *   none --it is a new one of a subset that is marked, or it finds no node--> "true"
 *   "true" --runs at the updated revision, ready for unschedulableDuration--> "false"
 *
 * A Pod that has a node and waits for its update is none, however long that takes: autoscalers would no longer count it, and its child could stop
 * it before a substitute runs.
 *
 * Pure. @see spec/uniteddeployment.md 5.4
 */
import { unitedDeploymentLabels } from '@kruise/api';
import { isPodActive, isPodReady, parseTime, podCondition, type Instant, type Pod } from '@kruise/objects';
import { pendingTimeout } from '@kruise/pods';
import type { Mode } from '../snapshot/modes.ts';
import { isMarked, type SubsetStatus, type Verdict } from './schedulable.ts';
import type { Child } from '../snapshot/snapshot.ts';

export interface ReserveVerdict extends Verdict {
  readonly reserved: number;
  /** Pods that are still to be created in a subset that has too few nodes: they will begin as reserved. */
  readonly missing: number;
  /** Pods whose label must be written. */
  readonly labels: readonly { readonly pod: Pod; readonly isReserved: boolean }[];
}

interface PodVerdict {
  readonly isReserved: boolean;
  readonly wait?: number;
}

const labelOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[unitedDeploymentLabels.reservedPod];
export const revisionOf = ({ metadata }: Pod): string | undefined => metadata.labels?.[unitedDeploymentLabels.revision];

/** Whether a reserved Pod, or one that begins as reserved, stays reserved. */
function judgeReserved(pod: Pod, revision: string, { unschedulable }: Mode, now: Instant): PodVerdict {
  const ready = podCondition(pod, 'Ready');
  const since = ready?.status === 'True' ? parseTime(ready.lastTransitionTime) : undefined;
  if (pod.status?.phase !== 'Running' || revisionOf(pod) !== revision || since === undefined)
    return { isReserved: true, wait: unschedulable };
  const left = since + unschedulable - now;
  return left < 0 ? { isReserved: false } : { isReserved: true, wait: Math.max(left, 1) };
}

function judgeOther(pod: Pod, { critical, unschedulable }: Mode, now: Instant): PodVerdict {
  const timeout = pendingTimeout(pod, critical, now);
  if (timeout.kind === 'TimedOut') return { isReserved: true, wait: unschedulable };
  return timeout.kind === 'Waiting' ? { isReserved: false, wait: timeout.checkAfter } : { isReserved: false };
}

/** @param status of the subset in the pass before */
export function judgeReserves(
  { object, pods }: Child,
  status: SubsetStatus | undefined,
  { revision, mode, now }: { readonly revision: string; readonly mode: Mode; readonly now: Instant },
): ReserveVerdict {
  const active = pods.filter(isPodActive);
  const marked = isMarked(status);
  const judge = (pod: Pod): PodVerdict => {
    const label = labelOf(pod);
    const isOne = label === 'true' || (marked && label === undefined);
    return isOne ? judgeReserved(pod, revision, mode, now) : judgeOther(pod, mode, now);
  };
  const judged = active.map((pod) => ({ pod, verdict: judge(pod) }));
  const reserved = judged.filter(({ verdict }) => verdict.isReserved).length;
  const missing = marked ? Math.max((object.spec?.replicas ?? 1) - active.length, 0) : 0;
  return {
    reserved,
    missing,
    stuck: judged.filter(({ pod, verdict }) => verdict.isReserved && !isPodReady(pod)).length,
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
    message: 'nodes are available again; the controller creates more Pods to find out for how many',
  },
});
