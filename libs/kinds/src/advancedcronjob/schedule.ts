/** When an AdvancedCronJob runs. Pure. @see spec/advancedcronjob.md 5.3 (6), 5.4 */
import { imageListPullJobs, type AdvancedCronJob } from '@kruise/api';
import { nextTime, parseSchedule, type Schedule, type Zone, type ZoneLoader } from '@kruise/cron';
import { imageLimits, milliseconds, type Instant, type Milliseconds } from '@kruise/objects';
import { childTypeOf } from './children.ts';

export type ReadSchedule =
  { readonly kind: 'Schedule'; readonly schedule: Schedule; readonly zone: Zone } | { readonly kind: 'Faulty'; readonly why: string };

/** The zone of this process, which every runtime has. */
export function localZone(zones: ZoneLoader): Zone {
  const local = zones('Local') ?? zones('UTC');
  if (local === undefined) throw new Error('there is no time zone');
  return local;
}

/** A zone before the schedule counts, then `timeZone`, then that of the process, which also stands in for one that is not known here. */
export function readSchedule({ spec: { schedule: text, timeZone = '' } }: AdvancedCronJob, zones: ZoneLoader): ReadSchedule {
  const parsed = parseSchedule(text);
  if (parsed.kind === 'Faulty') return parsed;
  const name = parsed.zone ?? (timeZone === '' ? 'Local' : timeZone);
  return { kind: 'Schedule', schedule: parsed.schedule, zone: zones(name) ?? localZone(zones) };
}

/** How long after the last list of images there is no other: each has a job for each of its images, and each job writes into many nodes. */
export const intervalOf = (job: AdvancedCronJob): Milliseconds =>
  milliseconds(childTypeOf(job) === imageListPullJobs ? imageLimits.intervalOfLists.value : 0);

/**
 * The schedule without the times that follow the one before by less than `interval`: what runs after every period runs after the first multiple of it that
 * is long enough. The times of five fields are a minute or more apart.
 *
 * @param interval a minute at most
 */
export const withInterval = (schedule: Schedule, interval: Milliseconds): Schedule =>
  schedule.kind === 'Every'
    ? { ...schedule, period: milliseconds(Math.max(1, Math.ceil(interval / schedule.period)) * schedule.period) }
    : schedule;

/** How far ahead of this clock a time may be for which a job was made: other clocks may be ahead a little. */
export interface Horizon {
  readonly now: Instant;
  /** The next time of the schedule; undefined when there is none. */
  readonly next: Instant | undefined;
}

/** @returns undefined for a schedule that cannot be read */
export function horizonOf(job: AdvancedCronJob, now: Instant, zones: ZoneLoader): Horizon | undefined {
  const read = readSchedule(job, zones);
  return read.kind === 'Faulty' ? undefined : { now, next: nextTime(withInterval(read.schedule, intervalOf(job)), now, read.zone) };
}
