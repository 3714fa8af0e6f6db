/** What a job does next. @see spec/ephemeraljob.md 5 */
import { ephemeralJobFinalizer, type EphemeralContainer, type EphemeralJob, type EphemeralJobStatus } from '@kruise/api';
import { hasFinalizer, isPodActive, milliseconds, parseTime, type Instant, type Milliseconds, type Pod, type Stage } from '@kruise/objects';
import { podProgress } from './progress.ts';
import { computeStatus, countProgress, deadlineOf, errorStatus } from './status.ts';
import { containersOf, hasRoomFor, presenceIn, specOf, templateOf, type Template } from './template.ts';
import { expiryOf, refusedLast, type RefusedBefore } from '@kruise/workloads';

export interface Snapshot {
  readonly job: EphemeralJob;
  /** Pods of the namespace that the selector matches, any order; or why it cannot be read. */
  readonly pods: readonly Pod[] | { readonly illegal: string };
  /** Names of nodes whose kubelet reports nothing. */
  readonly lostNodes: ReadonlySet<string>;
  /** Uids of Pods for which the API server refused the containers. */
  readonly refused: RefusedBefore;
}

export type Action = { readonly because: string } & (
  | { readonly kind: 'AddFinalizer' | 'DeleteJob' }
  /** Containers stay: the API server cannot remove them from a Pod. */
  | { readonly kind: 'RemoveFinalizer' }
  | { readonly kind: 'InjectContainers'; readonly pod: Pod; readonly containers: readonly EphemeralContainer[] }
);

export interface Plan {
  /** To the job itself, before anything else. */
  readonly job: readonly Action[];
  /** Of a running job. */
  readonly status?: EphemeralJobStatus;
  /** Into Pods, in order. */
  readonly inject: readonly Action[];
  readonly requeueAfter?: Milliseconds;
}

/** What is done to the job itself comes before its status; what its status does not show yet is done to no Pod. */
export const stagesOf = ({
  job,
  inject,
}: Plan): { readonly before: readonly Stage<Action>[]; readonly after: readonly Stage<Action>[] } => ({
  before: [{ name: 'job', actions: job, onFailure: 'Stop' }],
  after: [{ name: 'inject', actions: inject, onFailure: 'EndStage', pace: 'ByKind', slowly: ['InjectContainers'] }],
});

/** A Pod that was refused the containers comes last in the next pass. */
export const subjectsOf = (action: Action): readonly string[] =>
  action.kind === 'InjectContainers' && action.pod.metadata.uid !== undefined ? [action.pod.metadata.uid] : [];

const defaultTtlSeconds = 1800;

/** Longer waits are looked at again in between. */
const longestWait = 3_600_000;
const waitFor = (ms: number): Milliseconds => milliseconds(Math.min(longestWait, Math.max(0, ms)));

const wholeOr = (value: unknown, otherwise: number): number => (typeof value === 'number' && Number.isFinite(value) ? value : otherwise);

const ttlSecondsOf = (job: EphemeralJob): number => wholeOr(specOf(job).ttlSecondsAfterFinished, defaultTtlSeconds);

/** @returns undefined for a job that is not over */
function planEnd(job: EphemeralJob, now: Instant): Plan | undefined {
  const expiry = expiryOf(job.status?.completionTime, ttlSecondsOf(job), now);
  if (expiry.kind === 'Kept') return undefined;
  return expiry.kind === 'Expired'
    ? { job: [{ kind: 'DeleteJob', because: expiry.because }], inject: [] }
    : { job: [], inject: [], requeueAfter: waitFor(expiry.left) };
}

const byAge = (a: Pod, b: Pod): number =>
  (parseTime(a.metadata.creationTimestamp ?? undefined) ?? 0) - (parseTime(b.metadata.creationTimestamp ?? undefined) ?? 0) ||
  (a.metadata.name < b.metadata.name ? -1 : 1);

/** Oldest first, as many as `replicas` says; of a Pod that ends, or has a container of the name from elsewhere, nothing can be hoped. */
function targetsOf(job: EphemeralJob, pods: readonly Pod[], template: Template): readonly Pod[] {
  const suited = pods.filter((pod) => isPodActive(pod) && !presenceIn(pod, job, template).foreign).toSorted(byAge);
  return suited.slice(0, Math.max(0, wholeOr(specOf(job).replicas, suited.length)));
}

/** Under way: what runs or waits, and what the kubelet of a running Pod has not reported yet. A Pod that no kubelet runs delays no other. */
function isInFlight(pod: Pod, template: Template): boolean {
  const progress = podProgress(pod, template);
  return progress === 'running' || progress === 'waiting' || (progress === 'unknown' && pod.status?.phase === 'Running');
}

/**
 * Those without containers yet, as many as may run beside those that are under way; last those that were refused or will be, so that they delay no
 * other. A Pod on a lost node neither counts nor gets containers until the node is back.
 */
function planInjection({ job, lostNodes, refused }: Snapshot, all: readonly Pod[], template: Template): readonly Pod[] {
  const targets = all.filter(({ spec }) => !lostNodes.has(spec.nodeName ?? ''));
  const {
    begun = [],
    able = [],
    unable = [],
  } = Object.groupBy(targets, (pod) => {
    if (presenceIn(pod, job, template).own) return 'begun';
    return hasRoomFor(pod, template) ? 'able' : 'unable';
  });
  const inFlight = begun.filter((pod) => isInFlight(pod, template)).length;
  const ordered = refusedLast([...able, ...unable], ({ metadata }) => metadata.uid, refused);
  return ordered.slice(0, Math.max(0, wholeOr(specOf(job).parallelism, 1) - inFlight));
}

function waitOf(job: EphemeralJob, status: EphemeralJobStatus, startedAt: Instant, now: Instant): { readonly requeueAfter?: Milliseconds } {
  if (status.completionTime !== undefined) return { requeueAfter: waitFor(ttlSecondsOf(job) * 1000) };
  const deadline = specOf(job).paused === true ? undefined : deadlineOf(job, startedAt);
  return deadline === undefined ? {} : { requeueAfter: waitFor(deadline - now) };
}

/** What of the job itself is missing. */
const planFinalizer = (job: EphemeralJob): readonly Action[] =>
  hasFinalizer(job, ephemeralJobFinalizer)
    ? []
    : [{ kind: 'AddFinalizer', because: 'the controller must observe the deletion of the job' }];

function planDeleted(job: EphemeralJob): Plan {
  const isHeld = hasFinalizer(job, ephemeralJobFinalizer);
  return { job: isHeld ? [{ kind: 'RemoveFinalizer', because: 'the job is being deleted' }] : [], inject: [] };
}

/** Equal facts give an equal plan: the numbers are of the Pods as they were before what is injected now. */
export function plan(seen: Snapshot, now: Instant): Plan {
  const { job, pods } = seen;
  if (job.metadata.deletionTimestamp !== undefined) return planDeleted(job);
  const end = planEnd(job, now);
  if (end !== undefined) return end;
  const first = planFinalizer(job);
  const containers = containersOf(job);
  const fault = 'illegal' in pods ? `job spec invalid fields: ${pods.illegal}` : 'job spec invalid fields.';
  if ('illegal' in pods || containers.length === 0) return { job: first, status: errorStatus(job, fault, now), inject: [] };
  const startedAt = parseTime(job.status?.startTime) ?? now;
  const template = templateOf(containers);
  const targets = targetsOf(job, pods, template);
  const status = computeStatus(job, countProgress(targets.map((pod) => podProgress(pod, template))), startedAt, now);
  const isWorking = specOf(job).paused !== true && status.completionTime === undefined;
  const because = `the Pod is one of ${targets.length} and has none of the containers yet`;
  const chosen = isWorking ? planInjection(seen, targets, template) : [];
  return {
    job: first,
    status,
    inject: chosen.map((pod) => ({ kind: 'InjectContainers', pod, containers, because })),
    ...waitOf(job, status, startedAt, now),
  };
}
