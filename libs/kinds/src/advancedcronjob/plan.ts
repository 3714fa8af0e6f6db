/**
 * What an AdvancedCronJob does next: at most one job in a pass, for the latest missed time.
 *
 *   finished jobs over the limits are deleted
 *   paused, or a schedule that cannot be read -> nothing else
 *   a time was missed?  Forbid waits for the running jobs, Replace deletes them; then the job is created
 *   requeue at the next time
 * @see spec/advancedcronjob.md 5.3
 */
import type { AdvancedCronJob, AdvancedCronJobStatus } from '@kruise/api';
import { formatInZone, latestMissed, nextTime, type Schedule, type Zone, type ZoneLoader } from '@kruise/cron';
import {
  formatTime,
  instant,
  jobs,
  milliseconds,
  parseTime,
  seconds,
  workloadLimits,
  type Instant,
  type KubeObject,
  type Milliseconds,
  type ResourceType,
  type Stage,
} from '@kruise/objects';
import { childTypeOf, type Child, type ChildState } from './children.ts';
import { newChild } from './new-child.ts';
import { horizonOf, intervalOf, localZone, readSchedule, withInterval } from './schedule.ts';
import { lastScheduleOf, statusOf } from './status.ts';

export interface Snapshot {
  readonly job: AdvancedCronJob;
  /** Its own, any order. */
  readonly children: readonly Child[];
  /** The time of the last job that this process made and the status does not show yet: the job may be deleted before. */
  readonly made?: Instant | undefined;
}

export interface Context {
  readonly now: Instant;
  readonly zones: ZoneLoader;
}

export type Action = { readonly because: string } & (
  | { readonly kind: 'CreateChild'; readonly type: ResourceType; readonly object: KubeObject }
  | { readonly kind: 'DeleteChild'; readonly type: ResourceType; readonly object: KubeObject }
);

/** Events of a pass. */
export type Note =
  | { readonly kind: 'Completed'; readonly name: string; readonly state: ChildState }
  | { readonly kind: 'UnparseableSchedule'; readonly why: string }
  | { readonly kind: 'TooManyMissedTimes' }
  | { readonly kind: 'MissSchedule'; readonly time: string }
  | { readonly kind: 'JobAlreadyActive' }
  | { readonly kind: 'TooManyActiveJobs'; readonly most: number }
  /** A last time that is ahead of the clock does not count. */
  | { readonly kind: 'ClockSkew'; readonly time: string };

export interface Plan {
  /** Shows the time of a job before any job is deleted that nothing else shows it of. */
  readonly opening?: AdvancedCronJobStatus;
  /** Jobs that make room, then the new one. */
  readonly start: readonly Action[];
  /** The time that the new one is for. */
  readonly scheduled?: Instant;
  /** Finished jobs beyond the history limits. */
  readonly tidy: readonly Action[];
  readonly notes: readonly Note[];
  readonly requeueAfter?: Milliseconds;
}

const remove = ({ type, object }: Child, because: string): Action => ({ kind: 'DeleteChild', type, object, because });

const isLeaving = ({ object }: Child): boolean => object.metadata.deletionTimestamp !== undefined;

/** Those that began first are deleted first; without a limit as many stay as one AdvancedCronJob may have. */
function planHistory(children: readonly Child[], state: ChildState, wanted: number | undefined): readonly Action[] {
  const most = workloadLimits.keptOfCron.value;
  const limit = Math.min(wanted ?? most, most);
  const finished = children.filter((child) => child.state === state && !isLeaving(child));
  const byStart = finished.toSorted(
    (a, b) => (a.startTime ?? 0) - (b.startTime ?? 0) || (a.object.metadata.name < b.object.metadata.name ? -1 : 1),
  );
  const because = `${finished.length} jobs are ${state}, and ${limit} are kept`;
  return byStart.slice(0, Math.max(0, finished.length - limit)).map((child) => remove(child, because));
}

/** Those that the status still has as active. */
const completions = ({ job, children }: Snapshot): readonly Note[] => {
  const active = new Set((job.status?.active ?? []).map(({ uid }) => uid));
  return children.flatMap(({ object, state }) =>
    state !== 'Active' && active.has(object.metadata.uid) ? [{ kind: 'Completed', name: object.metadata.name, state } as const] : [],
  );
};

interface Times {
  readonly schedule: Schedule;
  readonly zone: Zone;
}

/** Times after this one count. */
const earliestOf = ({ job }: Snapshot, last: Instant | undefined, now: Instant): Instant =>
  last ?? parseTime(job.metadata.creationTimestamp ?? undefined) ?? now;

interface Due {
  /** The latest time since the last job; undefined when none has come. */
  readonly missed: Instant | undefined;
  /** Whether the deadline for it is over. */
  readonly isTooLate: boolean;
  /** Whether more than 100 times came, as far as the deadline looks back. */
  readonly tooMany: boolean;
}

/**
 * The deadline decides which times are too late, not from when on they are counted: an `@every` schedule continues from its last job, and would
 * never run if the deadline were shorter than the interval.
 */
function dueOf(job: AdvancedCronJob, earliest: Instant, { schedule, zone }: Times, now: Instant): Due {
  const { time: missed, tooMany } = latestMissed(schedule, earliest, now, zone);
  const { startingDeadlineSeconds } = job.spec;
  if (missed === undefined || startingDeadlineSeconds === undefined) return { missed, isTooLate: false, tooMany };
  const limit = instant(now - seconds(startingDeadlineSeconds));
  const isMany = (): boolean => latestMissed(schedule, instant(Math.max(earliest, limit)), now, zone).tooMany;
  return { missed, isTooLate: missed < limit, tooMany: tooMany && isMany() };
}

/** Beside so many that are active no other job is created: they would pile up, and the status, which names each, would outgrow its object. */
const mostActive = (job: AdvancedCronJob): number =>
  (childTypeOf(job) === jobs ? workloadLimits.activeOfCron : workloadLimits.activeFleetsOfCron).value;

/** What is due now: what makes room for the new job, and the new job. */
function planRun(
  { job, children }: Snapshot,
  { missed, isTooLate, tooMany }: Due,
  zone: Zone,
  zones: ZoneLoader,
): Pick<Plan, 'start' | 'notes' | 'scheduled'> {
  if (missed === undefined) return { start: [], notes: [] };
  const text = formatInZone(missed, zone);
  if (isTooLate) return { start: [], notes: [{ kind: 'MissSchedule', time: text }] };
  const { concurrencyPolicy } = job.spec;
  const active = children.filter(({ state }) => state === 'Active');
  if (concurrencyPolicy === 'Forbid' && active.length > 0) return { start: [], notes: [{ kind: 'JobAlreadyActive' }] };
  const most = mostActive(job);
  if (concurrencyPolicy !== 'Replace' && active.length >= most) return { start: [], notes: [{ kind: 'TooManyActiveJobs', most }] };
  const replaced =
    concurrencyPolicy === 'Replace'
      ? active.filter((child) => !isLeaving(child)).map((child) => remove(child, `the job of ${text} replaces it`))
      : [];
  const object = newChild(job, missed, { ofSchedule: zone, ofProcess: localZone(zones) });
  return {
    start: [...replaced, { kind: 'CreateChild', type: childTypeOf(job), object, because: `it is scheduled for ${text}` }],
    scheduled: missed,
    notes: tooMany ? [{ kind: 'TooManyMissedTimes' }] : [],
  };
}

/**
 * The next time of an `@every` schedule is one interval after the last time, whenever it is computed. A last time in the future means that clocks were
 * set back; they may be set forward again, so the schedule does not wait for it.
 */
const nextOf = ({ schedule, zone }: Times, lastTime: Instant, now: Instant): Instant | undefined =>
  nextTime(schedule, schedule.kind === 'Every' && lastTime < now ? lastTime : now, zone);

/** The new job comes once all that it replaces are deleted. */
export function stagesOf({ start, tidy }: Plan): { readonly before: readonly Stage<Action>[]; readonly after: readonly Stage<Action>[] } {
  return {
    before: [
      { name: 'replace', actions: start.filter(({ kind }) => kind === 'DeleteChild'), onFailure: 'Collect' },
      { name: 'start', actions: start.filter(({ kind }) => kind === 'CreateChild'), onFailure: 'EndStage', needs: ['replace'] },
    ],
    after: [{ name: 'tidy', actions: tidy, onFailure: 'Log', pace: 'ByKind', burst: workloadLimits.actionsOfPass.value }],
  };
}

/** What an action is done to: each has its own wait after a refusal. */
export const objectOf = ({ object: { metadata } }: Action): string => metadata.uid ?? metadata.name;

/** The time of a job that was made counts, whether the status shows it already or not. */
const withTime = (job: AdvancedCronJob, made: Instant | undefined): AdvancedCronJob =>
  made === undefined ? job : { ...job, status: { ...job.status, lastScheduleTime: formatTime(made) } };

function openingOf({ job, children, made }: Snapshot, { now, zones }: Context): Pick<Plan, 'opening'> {
  const opening = statusOf(job, children, { horizon: horizonOf(job, now, zones), scheduled: made });
  return opening.lastScheduleTime === job.status?.lastScheduleTime ? {} : { opening };
}

/** Equal facts give an equal plan. */
export function plan(seen: Snapshot, context: Context): Plan {
  if (seen.job.metadata.deletionTimestamp !== undefined) return { start: [], tidy: [], notes: [] };
  return { ...openingOf(seen, context), ...planJobs({ ...seen, job: withTime(seen.job, seen.made) }, context) };
}

function planJobs(seen: Snapshot, context: Context): Plan {
  const { job, children } = seen;
  const { failedJobsHistoryLimit, successfulJobsHistoryLimit } = job.spec;
  const tidy = [
    ...planHistory(children, 'Failed', failedJobsHistoryLimit),
    ...planHistory(children, 'Complete', successfulJobsHistoryLimit),
  ];
  const { now, zones } = context;
  const last = lastScheduleOf(job, children, horizonOf(job, now, zones));
  const skew: readonly Note[] = last.ignored === undefined ? [] : [{ kind: 'ClockSkew', time: formatTime(last.ignored) }];
  const completed = [...completions(seen), ...skew];
  if (job.spec.paused === true) return { start: [], tidy, notes: completed };
  const read = readSchedule(job, context.zones);
  if (read.kind === 'Faulty') return { start: [], tidy, notes: [...completed, { kind: 'UnparseableSchedule', why: read.why }] };
  const earliest = earliestOf(seen, last.time, now);
  // The first one comes at the first time.
  const times = last.time === undefined ? read : { ...read, schedule: withInterval(read.schedule, intervalOf(job)) };
  const due = dueOf(job, earliest, times, now);
  const { notes, ...run } = planRun(seen, due, times.zone, zones);
  const next = nextOf(times, due.missed ?? earliest, now);
  return {
    ...run,
    tidy,
    notes: [...completed, ...notes],
    ...(next === undefined ? {} : { requeueAfter: milliseconds(next - now) }),
  };
}
