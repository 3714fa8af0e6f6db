/** What the spec of a job requests, with the defaults that admission would have written. Pure. @see spec/broadcastjob.md 2.1 */
import { parallelPods, type BroadcastJob } from '@kruise/api';

const seconds = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);

export interface CompletionPolicy {
  /** A job that never completes waits for nodes that join. */
  readonly completes: boolean;
  readonly activeDeadlineSeconds: number | undefined;
  readonly ttlSecondsAfterFinished: number | undefined;
}

/** Unknown types complete. */
export function completionPolicyOf({ spec: { completionPolicy } }: BroadcastJob): CompletionPolicy {
  const completes = completionPolicy?.type !== 'Never';
  return {
    completes,
    activeDeadlineSeconds: completes ? seconds(completionPolicy?.activeDeadlineSeconds) : undefined,
    ttlSecondsAfterFinished: completes ? seconds(completionPolicy?.ttlSecondsAfterFinished) : undefined,
  };
}

export interface FailurePolicy {
  /** Unknown types continue. */
  readonly type: 'FailFast' | 'Pause' | 'Continue';
  readonly restartLimit: number;
}

export function failurePolicyOf({ spec: { failurePolicy } }: BroadcastJob): FailurePolicy {
  const type = failurePolicy?.type ?? 'FailFast';
  return { type: type === 'FailFast' || type === 'Pause' ? type : 'Continue', restartLimit: seconds(failurePolicy?.restartLimit) ?? 0 };
}

/**
 * How many Pods may be active at a time.
 *
 * @param desired the 100 percent
 * @returns undefined for what is no number and no percentage
 */
export function parallelismOf({ spec: { parallelism } }: BroadcastJob, desired: number): number | undefined {
  if (parallelism === undefined) return Infinity;
  const most = parallelPods(parallelism, desired);
  return most === undefined ? undefined : Math.max(0, most);
}
