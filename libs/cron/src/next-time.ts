/** Computes when a schedule runs next. */
import { instant, type Instant } from '@kruise/objects';
import { eitherMayMatch, type Field, type FieldSchedule, type Schedule } from './schedule.ts';
import { WallCursor } from './wall-cursor.ts';
import type { Zone } from './zone.ts';

const mostYears = 5;

/** Returns a point in time without its fraction of a second. */
export const wholeSecond = (at: Instant): Instant => instant(Math.floor(at / 1000) * 1000);

/**
 * Returns the first time later than `after` at which clocks show what the schedule selects. Skipped times do not run; times that clocks show twice
 * run twice. `@every` counts from `after`, in any zone.
 *
 * @returns a whole second; undefined when there is none until the fifth year from then on
 * @see spec/advancedcronjob.md 5.4
 */
export function nextTime(schedule: Schedule, after: Instant, zone: Zone): Instant | undefined {
  if (schedule.kind === 'Every') return instant(wholeSecond(after) + schedule.period);
  if (!schedule.isPossible) return undefined;
  const cursor = new WallCursor(instant(wholeSecond(after) + 1000), zone);
  const lastYear = cursor.year + mostYears;
  while (cursor.year <= lastYear) if (reachesMatch(cursor, schedule)) return cursor.at;
  return undefined;
}

/** Advances field by field. Returns false as soon as one wraps into a higher field, which must then be checked again. */
const reachesMatch = (cursor: WallCursor, schedule: FieldSchedule): boolean =>
  reachesMonth(cursor, schedule) &&
  reachesDay(cursor, schedule) &&
  reachesHour(cursor, schedule) &&
  reachesMinute(cursor, schedule) &&
  reachesSecond(cursor);

function reachesMonth(cursor: WallCursor, { month }: FieldSchedule): boolean {
  const { year } = cursor;
  while (!month.has[cursor.month]) {
    cursor.forwardMonths(distance(month, cursor.month));
    if (cursor.year !== year) return false;
  }
  return true;
}

function reachesDay(cursor: WallCursor, schedule: FieldSchedule): boolean {
  const { month } = cursor;
  while (!hasDay(schedule, cursor)) {
    cursor.forwardDays(daysToMatch(schedule, cursor));
    if (cursor.month !== month) return false;
  }
  return true;
}

/** Returns the days to the next day of this month that the schedule selects, or to the first of the next month. */
function daysToMatch(schedule: FieldSchedule, { dayOfMonth, dayOfWeek, daysInMonth }: WallCursor): number {
  let days = 1;
  while (dayOfMonth + days <= daysInMonth) {
    if (hasDay(schedule, { dayOfMonth: dayOfMonth + days, dayOfWeek: (dayOfWeek + days) % 7 })) return days;
    days++;
  }
  return days;
}

function hasDay(schedule: FieldSchedule, { dayOfMonth, dayOfWeek }: Pick<WallCursor, 'dayOfMonth' | 'dayOfWeek'>): boolean {
  const byMonth = schedule.dayOfMonth.has[dayOfMonth] === true;
  const byWeek = schedule.dayOfWeek.has[dayOfWeek] === true;
  return eitherMayMatch(schedule) ? byMonth || byWeek : byMonth && byWeek;
}

function reachesHour(cursor: WallCursor, { hour }: FieldSchedule): boolean {
  const { day } = cursor;
  while (!hour.has[cursor.hour]) {
    cursor.forwardHours(distance(hour, cursor.hour));
    if (cursor.day !== day) return false;
  }
  return true;
}

function reachesMinute(cursor: WallCursor, { minute }: FieldSchedule): boolean {
  const { day, hour } = cursor;
  while (!minute.has[cursor.minute]) {
    cursor.forwardMinutes(distance(minute, cursor.minute));
    if (cursor.hour !== hour || cursor.day !== day) return false;
  }
  return true;
}

/** Moves to second 0. It is the only second, so a step forward is one to the next minute. */
function reachesSecond(cursor: WallCursor): boolean {
  if (cursor.isAtFullMinute) return true;
  cursor.forwardMinutes(1);
  return false;
}

/** Returns the distance from a value to the next one of the field, or to where the field wraps. */
function distance({ has }: Field, value: number): number {
  const next = has.indexOf(true, value + 1);
  return (next < 0 ? has.length : next) - value;
}
