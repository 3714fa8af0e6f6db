/**
 * What a pass does for a job in each of its phases. Pure.
 *
 *   created -> finalizer -> running -> completionTime -> (5 s) -> secrets released, finalizer removed -> (time to live) -> deleted
 *      \---- deleted meanwhile ----> secrets released, finalizer removed
 *
 * @see spec/image-pulling.md 5.4, 5.5
 */
import { imagePullJobFinalizer, type ImagePullJob, type ImagePullJobStatus } from '@kruise/api';
import { earliest, hasFinalizer, milliseconds, seconds, unreachable, type Milliseconds, type Stage } from '@kruise/objects';
import { expiryOf } from '@kruise/workloads';
import { isActive } from '../images/active-job.ts';
import { plan, withNote, type Action as TaskAction } from './plan.ts';
import type { Context, Snapshot } from './snapshot.ts';
import { computeProgress, computeStatus, untilDeadline } from './status.ts';
import { readTerms } from './terms.ts';

export type Seen =
  /** An active job that would be deleted before its secrets are released. */
  | { readonly kind: 'Unheld' }
  | { readonly kind: 'Waiting'; readonly snapshot: Snapshot; readonly secrets: SecretsAwaited }
  | { readonly kind: 'Ready'; readonly snapshot: Snapshot }
  | Over;

/** Why no node is asked yet. */
export interface SecretsAwaited {
  /** For the status; undefined while the first lists may still come. */
  readonly why?: string;
  readonly again?: Milliseconds;
  readonly failure?: Error;
}

/** A job that has completed, or that is being deleted. */
export interface Over {
  readonly kind: 'Over';
  readonly job: ImagePullJob;
  /** How long it keeps copies of secrets; undefined when it keeps none any more. */
  readonly lingering: Milliseconds | undefined;
  /** Whether copies of secrets name it. */
  readonly hasCopies: boolean;
  /** Whether its list would create it again. */
  readonly isAwaited: boolean;
}

export type Action =
  TaskAction | { readonly kind: 'AddFinalizer' | 'ReleaseSecrets' | 'RemoveFinalizer' | 'DeleteJob'; readonly because: string };

export interface PassPlan {
  /** To the job itself, one after the other. */
  readonly job: readonly Action[];
  /** For nodes, which do not depend on each other. */
  readonly tasks: readonly Action[];
  /** The deadline counts from the first status, so it is written before the first task. */
  readonly opening?: ImagePullJobStatus;
  readonly status?: ImagePullJobStatus;
  readonly note?: string;
  readonly requeueAfter?: Milliseconds;
  readonly failure?: Error;
}

/** A node that refuses its task delays neither the others nor the status. */
export const stagesOf = ({ job, tasks }: PassPlan): readonly Stage<Action>[] => [
  ...job.map((action): Stage<Action> => ({ name: action.kind, actions: [action], onFailure: 'Stop' })),
  { name: 'tasks', actions: tasks, onFailure: 'Log', pace: 'AtOnce' },
];

/** No node is asked without the secrets, but the deadline of the job counts, and its status says what it waits for. */
function planWaiting(seen: Snapshot, { why, again, failure }: SecretsAwaited, { now }: Context): PassPlan {
  const nothing = { job: [], tasks: [] };
  if (why === undefined) return { ...nothing, ...earliest([again]) };
  const status = computeStatus(seen, computeProgress(seen), now);
  if (status.completionTime !== undefined) return { ...nothing, status };
  return {
    ...nothing,
    status: { ...status, message: `job waits for its pull secrets: ${why}` },
    ...earliest([again, untilDeadline(seen, now)]),
    ...(failure === undefined ? {} : { failure }),
  };
}

function planTasks(snapshot: Snapshot, context: Context): PassPlan {
  const { actions, status, ...rest } = plan(snapshot, context);
  const isFirst = snapshot.job.status?.startTime === undefined;
  return {
    ...rest,
    job: [],
    tasks: actions,
    ...(actions.length > 0 && isFirst ? { opening: status } : {}),
    ...(actions.length === 0 ? { status } : {}),
  };
}

/** What is left of a job that is over: its finalizer, and after its time to live the job itself. */
function planOver({ job, lingering, hasCopies, isAwaited }: Over, { now }: Context): PassPlan {
  const because = 'the job has ended';
  const isReleased = lingering === undefined;
  const release: readonly Action[] = isReleased && hasCopies ? [{ kind: 'ReleaseSecrets', because }] : [];
  const isHeld = hasFinalizer(job, imagePullJobFinalizer);
  const end = (more: readonly Action[], wait?: Milliseconds): PassPlan => ({ job: [...release, ...more], tasks: [], ...earliest([wait]) });
  // The job is deleted in the version that was looked at: its change enqueues it.
  if (isReleased && isHeld) return end([{ kind: 'RemoveFinalizer', because }]);
  const expiry = expiryOf(job.status?.completionTime, job.spec.completionPolicy?.ttlSecondsAfterFinished, now);
  if (job.metadata.deletionTimestamp !== undefined || expiry.kind === 'Kept' || isAwaited) return end([], lingering);
  if (expiry.kind === 'Waiting') return end([], milliseconds(Math.min(expiry.left, lingering ?? expiry.left)));
  return end([{ kind: 'DeleteJob', because: expiry.because }]);
}

/** Why the rules cannot work with a job that bypassed admission. One that is over only needs its finalizer removed, whatever its spec. */
export function faultOf(job: ImagePullJob): string | undefined {
  const read = isActive(job) ? readTerms(job) : undefined;
  return read?.kind === 'Faulty' ? read.why : undefined;
}

export function planPass(seen: Seen, context: Context): PassPlan {
  switch (seen.kind) {
    case 'Unheld':
      return { job: [{ kind: 'AddFinalizer', because: 'the job must exist until its secrets are released' }], tasks: [] };
    case 'Waiting':
      return planWaiting(seen.snapshot, seen.secrets, context);
    case 'Ready':
      return planTasks(seen.snapshot, context);
    case 'Over':
      return planOver(seen, context);
    default:
      return unreachable(seen);
  }
}

/** How soon other nodes are asked after a write to one has failed for a reason that may concern them all. */
const othersAskedWithin = seconds(1);

/** What came of the tasks of a pass. */
export interface TaskResults {
  /** The first failure that is no refusal. */
  readonly failure: Error | undefined;
  /** What the API server did not take, by node. */
  readonly refusals: ReadonlyMap<string, Error>;
}

/**
 * @param seen the job and its nodes after the tasks; undefined for a job that has ended meanwhile
 * @returns the status after the tasks, and when other nodes are asked: at once where nodes refused their task
 */
export function concludeTasks(
  seen: Snapshot | undefined,
  { note }: PassPlan,
  { failure, refusals }: TaskResults,
  { now }: Context,
): Pick<PassPlan, 'status' | 'failure' | 'requeueAfter'> {
  const status = seen === undefined ? undefined : computeStatus(seen, computeProgress(seen), now);
  const again = refusals.size === 0 ? undefined : failure === undefined ? milliseconds(0) : othersAskedWithin;
  return {
    // Whether the job has ended is decided by a pass of its own, on all that the plan looks at.
    ...(status === undefined || status.completionTime !== undefined ? {} : { status: withNote(status, note) }),
    ...(failure === undefined ? {} : { failure }),
    ...earliest([again]),
  };
}
