/** Phase, numbers and conditions of a job. @see spec/ephemeraljob.md 5 step 8 */
import { conditionReasons, conditionTypes, type EphemeralJob, type EphemeralJobStatus } from '@kruise/api';
import { formatTime, type Instant } from '@kruise/objects';
import type { Progress } from './progress.ts';
import { specOf } from './template.ts';

type JobCondition = NonNullable<EphemeralJobStatus['conditions']>[number];

type Phase = 'Waiting' | 'Running' | 'Succeeded' | 'Failed' | 'Paused' | 'Error' | 'Unknown';

/** Numbers of target Pods. */
export interface Numbers {
  readonly match: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly running: number;
  readonly waiting: number;
}

interface Verdict {
  readonly phase: Phase;
  readonly isOver: boolean;
  readonly condition?: { readonly type: string; readonly reason: string; readonly message: string };
}

export function countProgress(targets: readonly Progress[]): Numbers {
  const count = (wanted: Progress): number => targets.filter((one) => one === wanted).length;
  return {
    match: targets.length,
    succeeded: count('succeeded'),
    failed: count('failed'),
    running: count('running'),
    waiting: count('waiting'),
  };
}

const jobFailed = (reason: string, message: string): NonNullable<Verdict['condition']> => ({
  type: conditionTypes.jobFailed,
  reason,
  message,
});
const someFailed = jobFailed(conditionReasons.createFailed, 'job failed to run all tasks');

/** What the numbers alone say; the first that fits. */
function verdictOn({ match, succeeded, failed, running, waiting }: Numbers): Verdict {
  if (match === 0)
    return {
      phase: 'Waiting',
      isOver: false,
      condition: { type: conditionTypes.matchedEmpty, reason: conditionReasons.matchEmpty, message: 'job match no pods' },
    };
  if (succeeded === match)
    return {
      phase: 'Succeeded',
      isOver: true,
      condition: { type: conditionTypes.jobSucceeded, reason: conditionReasons.jobSucceeded, message: 'job success to run all tasks' },
    };
  const failure = failed > 0 ? { condition: someFailed } : {};
  if (running > 0) return { phase: 'Running', isOver: false, ...failure };
  if (failed === match) return { phase: 'Failed', isOver: true, ...failure };
  if (succeeded + failed === match)
    return { phase: 'Failed', isOver: true, condition: jobFailed(conditionReasons.jobFailed, `job failed in ${failed} of ${match} pods`) };
  return { phase: waiting === match ? 'Waiting' : 'Unknown', isOver: false, ...failure };
}

/** When the job has ended by its deadline; undefined without one. */
export function deadlineOf(job: EphemeralJob, startedAt: Instant): Instant | undefined {
  const { activeDeadlineSeconds } = specOf(job);
  return typeof activeDeadlineSeconds === 'number' ? ((startedAt + activeDeadlineSeconds * 1000) as Instant) : undefined;
}

const overdue: Verdict = {
  phase: 'Failed',
  isOver: true,
  condition: jobFailed(conditionReasons.deadlineExceeded, 'job was active longer than specified deadline'),
};

const erroneous = (message: string): Verdict => ({
  phase: 'Error',
  isOver: false,
  condition: { type: conditionTypes.jobError, reason: conditionReasons.error, message },
});

/** A condition that says the same keeps its times, so that nothing is written for it. */
function withCondition(
  list: readonly JobCondition[],
  { type, reason, message }: NonNullable<Verdict['condition']>,
  now: Instant,
): readonly JobCondition[] {
  const held = list.find((one) => one.type === type);
  if (held?.status === 'True' && held.reason === reason && held.message === message) return list;
  const time = formatTime(now);
  const next: JobCondition = { type, status: 'True', reason, message, lastProbeTime: time, lastTransitionTime: time };
  return held === undefined ? [...list, next] : list.map((one) => (one === held ? next : one));
}

const initialized = { type: conditionTypes.initialized, reason: conditionReasons.initialized, message: 'job is initialized' };

function conditionsOf(job: EphemeralJob, { condition }: Verdict, match: number, now: Instant): readonly JobCondition[] {
  const held = (job.status?.conditions ?? []).filter(({ type }) => match === 0 || type !== conditionTypes.matchedEmpty);
  const first = held.some(({ type }) => type === initialized.type) ? held : withCondition(held, initialized, now);
  return condition === undefined ? first : withCondition(first, condition, now);
}

function statusOf(job: EphemeralJob, verdict: Verdict, numbers: Numbers, now: Instant): EphemeralJobStatus {
  const time = formatTime(now);
  return {
    ...job.status,
    conditions: conditionsOf(job, verdict, numbers.match, now),
    startTime: job.status?.startTime ?? time,
    ...(verdict.isOver ? { completionTime: time } : {}),
    phase: verdict.phase,
    ...numbers,
  };
}

/**
 * The status of a job that is not over yet.
 *
 * @param startedAt when the job began
 * @remarks A paused job shows so, unless it is over; its deadline is not looked at meanwhile. Equal facts give an equal status.
 */
export function computeStatus(job: EphemeralJob, numbers: Numbers, startedAt: Instant, now: Instant): EphemeralJobStatus {
  const verdict = verdictOn(numbers);
  if (verdict.isOver) return statusOf(job, verdict, numbers, now);
  if (specOf(job).paused === true) return statusOf(job, { ...verdict, phase: 'Paused' }, numbers, now);
  const deadline = deadlineOf(job, startedAt);
  return statusOf(job, deadline !== undefined && now >= deadline ? overdue : verdict, numbers, now);
}

/** The status of a job that cannot do anything. */
export const errorStatus = (job: EphemeralJob, why: string, now: Instant): EphemeralJobStatus =>
  statusOf(job, erroneous(why), countProgress([]), now);
