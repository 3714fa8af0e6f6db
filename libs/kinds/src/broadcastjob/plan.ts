/**
 * What a BroadcastJob does next: one Pod to completion on every matching node, within `parallelism`.
 *
 *   finished?   -> it is deleted after its time to live
 *   a failure?  -> FailFast ends the job, Pause stops it, Continue continues
 *   too late?   -> the deadline ends the job
 *   else        -> misplaced Pods are deleted, nodes without a Pod get one; all done completes the job
 *
 * An end is written first and its Pods are deleted afterwards, so that the numbers of the end are those of the moment at which it was decided, wherever
 * the process dies in between.
 * @see spec/broadcastjob.md 5.3
 */
import type { BroadcastJob, BroadcastJobStatus } from '@kruise/api';
import {
  formatKey,
  keyOf,
  milliseconds,
  parseTime,
  workloadLimits,
  type Instant,
  type Milliseconds,
  type Node,
  type Pod,
} from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import { expiryOf, type RefusedBefore, refusedLast } from '@kruise/workloads';
import type { Action, Note } from './action.ts';
import { classify, type Classified } from './classify.ts';
import { podMaker, type PodMakerOptions } from './new-pod.ts';
import { planNodes, type NodePlan } from './plan-nodes.ts';
import { completionPolicyOf, failurePolicyOf, parallelismOf } from './policy.ts';
import { counted, countsOf, ended, endingOf, heldStatus } from './status.ts';

export interface Snapshot {
  readonly job: BroadcastJob;
  /** Its own, in the order of names. */
  readonly pods: readonly Pod[];
  /** All, in the order of names. */
  readonly nodes: readonly Node[];
  readonly takenNames: PodMakerOptions['takenNames'];
  /** Nodes for which the API server has refused to create or delete a Pod lately. A deleted node is one of them while it has a Pod. */
  readonly refused: RefusedBefore;
}

export interface Context {
  readonly now: Instant;
  readonly placedByScheduler: boolean;
}

export interface Plan {
  /** The status that has to be there before anything is deleted for it; absent when nothing depends on it. */
  readonly verdict?: BroadcastJobStatus;
  readonly remove: readonly Action[];
  readonly create: readonly Action[];
  /** As it is before anything is created or deleted. @see afterActions */
  readonly status: BroadcastJobStatus;
  readonly notes: readonly Note[];
  /** For when `remove` is done. */
  readonly notesAfter: readonly Note[];
  readonly requeueAfter?: Milliseconds;
}

const nothing = { remove: [], create: [], notes: [], notesAfter: [] };

/** The status stays as it is. */
const unchanged = (job: BroadcastJob): Plan => ({ ...nothing, status: heldStatus(job) });

const because = (reason: string) => (pod: Pod) => ({ kind: 'DeletePod', pod, because: reason }) as const;

const removalsOf = ({ misplaced }: NodePlan): readonly Action[] => misplaced.map(({ pod, because: reason }) => because(reason)(pod));

/** What the end of a job leaves no place for. */
function planLeftOver({ job, pods, nodes }: Snapshot, { active }: Classified): readonly Action[] {
  if (active.length === 0) return [];
  return endingOf(job) === 'Failed' ? active.map(because('the job has failed')) : removalsOf(planNodes(job, pods, nodes));
}

/** Deletes the Pods that a killed process left. A Pod whose deletion is refused does not extend the time to live of the job. */
function planFinished(seen: Snapshot, classified: Classified, now: Instant): Plan {
  const { job } = seen;
  const leftOver = planLeftOver(seen, classified);
  const expiry = expiryOf(job.status?.completionTime, completionPolicyOf(job).ttlSecondsAfterFinished, now);
  if (expiry.kind === 'Expired') return { ...unchanged(job), remove: [...leftOver, { kind: 'DeleteJob', because: expiry.because }] };
  return { ...unchanged(job), remove: leftOver, ...(expiry.kind === 'Waiting' ? { requeueAfter: expiry.left } : {}) };
}

/** What every rule of a job that runs looks at. */
interface Running {
  readonly job: BroadcastJob;
  readonly classified: Classified;
  readonly nodes: NodePlan;
  readonly status: BroadcastJobStatus;
  readonly seen: Snapshot;
  readonly context: Context;
}

const failFastText = 'failure policy is FailurePolicyTypeFailFast and failed pod is found';

/** Pods that were active count as failed. */
function planFailure(
  { classified, status, context }: Running,
  text: string,
  notes: (counts: Ends) => Pick<Plan, 'notes' | 'notesAfter'>,
): Plan {
  const { active, succeeded, failed } = countsOf(classified);
  const counts = { succeeded, before: failed, after: failed + active };
  const verdict = ended({ ...status, active: 0, failed: counts.after }, 'Failed', text, context.now);
  return { verdict, status: verdict, remove: classified.active.map(because(text)), create: [], ...notes(counts) };
}

interface Ends {
  readonly succeeded: number;
  readonly before: number;
  readonly after: number;
}

function planFailFast(running: Running): Plan {
  return planFailure(running, failFastText, ({ succeeded, before, after }) => ({
    notes: [{ kind: 'FailedPodFound', succeeded, failed: before }],
    notesAfter: [{ kind: 'FailedPodFound', succeeded, failed: after }],
  }));
}

function planTooLate(running: Running): Plan {
  const text = `Job ${formatKey(keyOf(running.job))} was active longer than specified deadline`;
  return planFailure(running, text, ({ succeeded, after }) => ({
    notes: [],
    notesAfter: [{ kind: 'DeadlineExceeded', succeeded, failed: after }],
  }));
}

/** Time until the deadline; 0 or less when it is over, undefined without one. */
function timeLeft({ job, status, context }: Running): number | undefined {
  const { activeDeadlineSeconds } = completionPolicyOf(job);
  if (activeDeadlineSeconds === undefined) return undefined;
  return (parseTime(status.startTime) ?? context.now) + activeDeadlineSeconds * 1000 - context.now;
}

/** How many Pods run beside those that have no place any more. @param most how many of these are deleted: all when absent */
function activeOf({ classified, nodes }: Running, most?: number): number {
  const leaving = new Set(nodes.misplaced.slice(0, most).map(({ pod }) => pod));
  return classified.active.filter((pod) => !leaving.has(pod)).length;
}

function planCompletion(running: Running): Plan {
  const { status, classified, nodes, context } = running;
  const { succeeded, failed } = countsOf(classified);
  const text = `Job completed, ${succeeded} pods succeeded, ${failed} pods failed`;
  const verdict = ended({ ...status, active: activeOf(running) }, 'Complete', text, context.now);
  return { ...nothing, verdict, status: verdict, remove: removalsOf(nodes), notes: [{ kind: 'Completed', succeeded, failed }] };
}

/**
 * Creates as many Pods as `parallelism` leaves, at most one burst, on the first nodes without one; recently refused nodes come last.
 * Events of the new Pods start the next pass.
 */
function planWork(running: Running): Plan {
  const { job, nodes, status, seen, context } = running;
  const burst = workloadLimits.actionsOfPass.value;
  const room = (parallelismOf(job, nodes.desired.length) ?? 0) - activeOf(running, burst);
  const makePod = podMaker(job, { placedByScheduler: context.placedByScheduler, takenNames: seen.takenNames });
  const chosen = refusedLast(nodes.rest, (node) => node, seen.refused).slice(0, Math.min(Math.max(0, room), burst));
  const left = timeLeft(running);
  return {
    remove: removalsOf(nodes),
    create: chosen.map((node) => ({ kind: 'CreatePod', pod: makePod(node), because: `node ${node} has not run it yet` })),
    status,
    notes: nodes.rest.length > 0 && room < 0 ? [{ kind: 'TooManyActivePods' }] : [],
    notesAfter: [],
    ...(left === undefined ? {} : { requeueAfter: milliseconds(left) }),
  };
}

/** A job that makes no progress: its numbers are kept up to date. */
const standing = ({ status }: Running, phase: 'paused' | 'failed', notes: readonly Note[]): Plan => ({
  ...nothing,
  status: { ...status, phase },
  notes,
});

/** The rules of a running job; the first matching rule applies. */
function planRunning(running: Running): Plan {
  const { job, classified, nodes } = running;
  const wasPaused = job.status?.phase === 'paused';
  if (job.spec.paused === true) return standing(running, 'paused', []);
  const { type } = failurePolicyOf(job);
  const hasFailed = classified.failed.length > 0;
  if (hasFailed && type === 'Pause') return standing(running, 'paused', wasPaused ? [] : [{ kind: 'Paused' }]);
  const resumed: Running = { ...running, status: { ...running.status, phase: 'running' } };
  const continued: readonly Note[] = wasPaused ? [{ kind: 'Continued' }] : [];
  const next = (): Plan => {
    if (hasFailed && type === 'FailFast') return planFailFast(resumed);
    const left = timeLeft(resumed);
    if (left !== undefined && left <= 0) return planTooLate(resumed);
    return completionPolicyOf(job).completes && nodes.isDone ? planCompletion(resumed) : planWork(resumed);
  };
  const { notes, ...rest } = next();
  return { ...rest, notes: [...continued, ...notes] };
}

/** New Pods take the room of those that are deleted: they wait for the deletions, but not for one that was refused before. */
export const waitsForRemovals = ({ remove }: Pick<Plan, 'remove'>, { refused }: Pick<Snapshot, 'refused'>): boolean =>
  remove.some((action) => action.kind === 'DeletePod' && !refused.has(nodeOf(action.pod) ?? ''));

/** Equal facts give an equal plan. */
export function plan(seen: Snapshot, context: Context): Plan {
  const { job, pods } = seen;
  const classified = classify(job, pods);
  if (completionPolicyOf(job).completes && endingOf(job) !== undefined) return planFinished(seen, classified, context.now);
  const nodes = planNodes(job, pods, seen.nodes);
  const status = counted(job, countsOf(classified), nodes.desired.length, context.now);
  const running: Running = { job, classified, nodes, status, seen, context };
  // A job that never completes may fail all the same, and then it starts no more.
  if (job.status?.phase === 'failed')
    return { ...standing(running, 'failed', []), remove: classified.active.map(because('the job has failed')) };
  const { notes, ...rest } = planRunning(running);
  return { ...rest, notes: [...nodes.notes, ...notes] };
}
