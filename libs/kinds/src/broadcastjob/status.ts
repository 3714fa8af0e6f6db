/** The status of a job. Pure. @see spec/broadcastjob.md 2.2, 3 */
import type { BroadcastJob, BroadcastJobStatus } from '@kruise/api';
import { formatTime, semanticEqual, type Instant } from '@kruise/objects';
import { withBlocking, type PacedStatus } from '@kruise/workloads';
import type { Classified } from './classify.ts';

type Condition = NonNullable<BroadcastJobStatus['conditions']>[number];

export interface Counts {
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
}

export const countsOf = ({ active, succeeded, failed }: Classified): Counts => ({
  active: active.length,
  succeeded: succeeded.length,
  failed: failed.length,
});

const endings: ReadonlySet<string> = new Set(['Complete', 'Failed']);

/** How the job has ended; undefined while it has not. */
export const endingOf = ({ status }: Pick<BroadcastJob, 'status'>): 'Complete' | 'Failed' | undefined =>
  status?.conditions?.find(({ type, status: value }) => endings.has(type) && value === 'True')?.type as 'Complete' | 'Failed' | undefined;

/** The status as it is. */
export const heldStatus = ({ status = {} }: BroadcastJob): BroadcastJobStatus => status;

/** Whether the status has to be written. */
export const isStatusChanged = ({ status: held }: BroadcastJob, status: BroadcastJobStatus): boolean => !semanticEqual(held, status);

/** Nothing of what the status has beside them is lost. */
export const counted = (job: BroadcastJob, counts: Counts, desired: number, now: Instant): BroadcastJobStatus => ({
  ...job.status,
  startTime: job.status?.startTime ?? formatTime(now),
  ...counts,
  desired,
});

/** The job is over: said once, for good. What blocked it before blocks it no more. */
export function ended(status: BroadcastJobStatus, type: 'Complete' | 'Failed', message: string, now: Instant): BroadcastJobStatus {
  const at = formatTime(now);
  const condition: Condition = { type, status: 'True', lastProbeTime: at, lastTransitionTime: at, reason: type, message };
  const others = (withBlocking(status, undefined, now).conditions ?? []).filter((held) => held.type !== type);
  return { ...status, phase: type === 'Complete' ? 'completed' : 'failed', completionTime: at, conditions: [...others, condition] };
}

/** The status once Pods were created and deleted; a job that is over keeps the numbers of its end. */
export const afterActions = (
  status: BroadcastJobStatus,
  { created, removed }: { readonly created: number; readonly removed: number },
): BroadcastJobStatus => (endingOf({ status }) === undefined ? { ...status, active: (status.active ?? 0) + created - removed } : status);

const podCounters: ReadonlySet<string> = new Set(['active', 'succeeded', 'failed', 'desired']);

/** Its counters are settled once every node has run its Pod. */
export const pacedStatus: PacedStatus<BroadcastJobStatus> = {
  withoutNumbers: (status) => Object.fromEntries(Object.entries(status).filter(([name]) => !podCounters.has(name))),
  isSettled: ({ active = 0, succeeded = 0, failed = 0, desired = 0 }) => active === 0 && succeeded + failed >= desired,
};
