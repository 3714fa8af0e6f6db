/** The status of an AdvancedCronJob. Pure. @see spec/advancedcronjob.md 2.2, 5.3 (3) and 8 */
import type { AdvancedCronJob, AdvancedCronJobStatus } from '@kruise/api';
import {
  apiVersionOf,
  formatTime,
  identityIn,
  instant,
  parseTime,
  type Instant,
  type KubeObject,
  type ResourceType,
} from '@kruise/objects';
import { childTypeOf, type Child } from './children.ts';
import type { Horizon } from './schedule.ts';

type Reference = NonNullable<AdvancedCronJobStatus['active']>[number];

export const referenceTo = (type: ResourceType, { metadata }: KubeObject): Reference => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  ...identityIn(metadata),
});

const latest = (...times: readonly (Instant | undefined)[]): Instant | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : instant(Math.max(...known));
};

const byTime = (a: Child, b: Child): number =>
  (a.scheduledAt ?? 0) - (b.scheduledAt ?? 0) || (a.object.metadata.name < b.object.metadata.name ? -1 : 1);

/** The last time for which a job was made. */
export interface LastSchedule {
  readonly time?: Instant;
  /** The time of the status, when it does not count: a clock was ahead when it was written. */
  readonly ignored?: Instant;
}

/**
 * The last time for which a job was created. It decreases for one reason only: a time ahead of the clock counts only up to the next one, and only if its
 * job exists. Otherwise a clock was ahead, and no job would run until that time; then the latest past time counts, or now.
 *
 * @param horizon undefined when the schedule cannot be read: every time counts
 */
export function lastScheduleOf({ status }: AdvancedCronJob, children: readonly Child[], horizon: Horizon | undefined): LastSchedule {
  const recorded = parseTime(status?.lastScheduleTime);
  const made = children.map(({ scheduledAt }) => scheduledAt);
  const counts = (time: Instant | undefined): boolean =>
    time === undefined ||
    horizon === undefined ||
    time <= horizon.now ||
    (horizon.next !== undefined && time <= horizon.next && made.includes(time));
  const time = latest(...[recorded, ...made].filter(counts));
  if (recorded === undefined || horizon === undefined || counts(recorded)) return time === undefined ? {} : { time };
  return { time: time ?? instant(Math.floor(horizon.now / 1000) * 1000), ignored: recorded };
}

export interface StatusSeen {
  readonly horizon: Horizon | undefined;
  /** A time for which a job was made in this pass. */
  readonly scheduled?: Instant | undefined;
}

/** A reference that is there already stays as it is: the version that it names would change with every step of its job. */
export function statusOf(job: AdvancedCronJob, children: readonly Child[], { horizon, scheduled }: StatusSeen): AdvancedCronJobStatus {
  const held = new Map((job.status?.active ?? []).map((reference) => [reference.uid, reference]));
  const active = children
    .filter(({ state }) => state === 'Active')
    .toSorted(byTime)
    .map(({ type, object }) => held.get(object.metadata.uid) ?? referenceTo(type, object));
  const last = latest(lastScheduleOf(job, children, horizon).time, scheduled);
  return {
    type: childTypeOf(job).kind as NonNullable<AdvancedCronJobStatus['type']>,
    ...(active.length === 0 ? {} : { active }),
    ...(last === undefined ? {} : { lastScheduleTime: formatTime(last) }),
  };
}
