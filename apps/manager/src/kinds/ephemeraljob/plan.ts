/** What a job does next. @see spec/ephemeraljob.md 5 */
import { finalizers, type EphemeralContainer, type EphemeralJob, type EphemeralJobStatus } from '@kruise/api';
import { hasFinalizer, isPodActive, milliseconds, parseTime, type Instant, type Milliseconds, type Pod } from '@kruise/objects';
import { podProgress } from './progress.ts';
import { computeStatus, countProgress, deadlineOf, errorStatus } from './status.ts';
import { containersOf, hasRoomFor, presenceIn, specOf } from './template.ts';

export interface Snapshot {
  readonly job: EphemeralJob;
  /** Pods of the namespace that the selector matches, any order; or why it cannot be read. */
  readonly pods: readonly Pod[] | { readonly illegal: string };
}

export type Plan =
  | { readonly kind: 'Nothing' }
  /** Containers stay: nobody can take them out of a Pod. */
  | { readonly kind: 'RemoveFinalizer' }
  | { readonly kind: 'Delete'; readonly because: string }
  | { readonly kind: 'Wait'; readonly lookAgainAfter: Milliseconds }
  | {
      readonly kind: 'Run';
      /** Before anything else. */
      readonly addFinalizer: boolean;
      readonly status: EphemeralJobStatus;
      /** The Pods that get the containers now, in order. */
      readonly inject: readonly Pod[];
      readonly containers: readonly EphemeralContainer[];
      readonly lookAgainAfter?: Milliseconds;
    };

const defaultTtlSeconds = 1800;

/** Longer waits are looked at again in between. */
const longestWait = 3_600_000;
const waitFor = (ms: number): Milliseconds => milliseconds(Math.min(longestWait, Math.max(0, ms)));

const wholeOr = (value: unknown, otherwise: number): number => (typeof value === 'number' && Number.isFinite(value) ? value : otherwise);

/** @returns undefined for a job that is not over */
function planEnd(job: EphemeralJob, now: Instant): Plan | undefined {
  const { completionTime } = job.status ?? {};
  if (completionTime === undefined) return undefined;
  const ttlSeconds = wholeOr(specOf(job).ttlSecondsAfterFinished, defaultTtlSeconds);
  const left = (parseTime(completionTime) ?? now) + ttlSeconds * 1000 - now;
  return left <= 0 ? { kind: 'Delete', because: `finished for ${ttlSeconds} s` } : { kind: 'Wait', lookAgainAfter: waitFor(left) };
}

const byAge = (a: Pod, b: Pod): number =>
  (parseTime(a.metadata.creationTimestamp ?? undefined) ?? 0) - (parseTime(b.metadata.creationTimestamp ?? undefined) ?? 0) ||
  (a.metadata.name < b.metadata.name ? -1 : 1);

/** Oldest first, as many as `replicas` says; of a Pod that ends, or has a container of the name from elsewhere, nothing can be hoped. */
function targetsOf(job: EphemeralJob, pods: readonly Pod[], containers: readonly EphemeralContainer[]): readonly Pod[] {
  const fit = pods.filter((pod) => isPodActive(pod) && !presenceIn(pod, job, containers).foreign).toSorted(byAge);
  return fit.slice(0, Math.max(0, wholeOr(specOf(job).replicas, fit.length)));
}

/** Under way: what runs or waits, and what the kubelet of a running Pod has not told of yet. A Pod that nothing runs holds nobody up. */
function isInFlight(pod: Pod, containers: readonly EphemeralContainer[]): boolean {
  const progress = podProgress(pod, containers);
  return progress === 'running' || progress === 'waiting' || (progress === 'unknown' && pod.status?.phase === 'Running');
}

/** Those without containers yet, as many as may run beside those that are under way; last those that will be refused, so that they hold up nobody. */
function planInjection(job: EphemeralJob, targets: readonly Pod[], containers: readonly EphemeralContainer[]): readonly Pod[] {
  const begun = targets.filter((pod) => presenceIn(pod, job, containers).own);
  const inFlight = begun.filter((pod) => isInFlight(pod, containers)).length;
  const others = targets.filter((pod) => !begun.includes(pod));
  const able = others.filter((pod) => hasRoomFor(pod, containers));
  const unable = others.filter((pod) => !hasRoomFor(pod, containers));
  return [...able, ...unable].slice(0, Math.max(0, wholeOr(specOf(job).parallelism, 1) - inFlight));
}

function waitOf(
  job: EphemeralJob,
  status: EphemeralJobStatus,
  startedAt: Instant,
  now: Instant,
): { readonly lookAgainAfter?: Milliseconds } {
  if (status.completionTime !== undefined)
    return { lookAgainAfter: waitFor(wholeOr(specOf(job).ttlSecondsAfterFinished, defaultTtlSeconds) * 1000) };
  const deadline = specOf(job).paused === true ? undefined : deadlineOf(job, startedAt);
  return deadline === undefined ? {} : { lookAgainAfter: waitFor(deadline - now) };
}

/** Equal facts give an equal plan: the numbers are of the Pods as they were before what is injected now. */
export function plan({ job, pods }: Snapshot, now: Instant): Plan {
  if (job.metadata.deletionTimestamp !== undefined)
    return { kind: hasFinalizer(job, finalizers.ephemeralContainersCleanup) ? 'RemoveFinalizer' : 'Nothing' };
  const end = planEnd(job, now);
  if (end !== undefined) return end;
  const addFinalizer = !hasFinalizer(job, finalizers.ephemeralContainersCleanup);
  const containers = containersOf(job);
  if ('illegal' in pods)
    return {
      kind: 'Run',
      addFinalizer,
      status: errorStatus(job, `job spec invalid fields: ${pods.illegal}`, now),
      inject: [],
      containers,
    };
  if (containers.length === 0)
    return { kind: 'Run', addFinalizer, status: errorStatus(job, 'job spec invalid fields.', now), inject: [], containers };
  const startedAt = parseTime(job.status?.startTime) ?? now;
  const targets = targetsOf(job, pods, containers);
  const status = computeStatus(job, countProgress(targets.map((pod) => podProgress(pod, containers))), startedAt, now);
  const isWorking = specOf(job).paused !== true && status.completionTime === undefined;
  return {
    kind: 'Run',
    addFinalizer,
    status,
    inject: isWorking ? planInjection(job, targets, containers) : [],
    containers,
    ...waitOf(job, status, startedAt, now),
  };
}
