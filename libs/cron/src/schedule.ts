/** A parsed schedule. */
import type { Milliseconds } from '@kruise/objects';

/** The values of one of the five fields. */
export interface Field {
  /** By value: whether the field contains it. */
  readonly has: readonly boolean[];
  /** Whether `*` or `?` with step 1 is among its items. */
  readonly isStar: boolean;
}

/** Runs when the wall clock shows what the fields select, at second 0. */
export interface FieldSchedule {
  readonly kind: 'Fields';
  readonly minute: Field;
  readonly hour: Field;
  readonly dayOfMonth: Field;
  /** January is 1. */
  readonly month: Field;
  /** Sunday is 0. */
  readonly dayOfWeek: Field;
  /** Whether some date and time matches; false for `0 0 31 2 *`. */
  readonly isPossible: boolean;
}

/** Runs repeatedly after the same duration, counted from the previous run, independently of the zone. */
export interface EverySchedule {
  readonly kind: 'Every';
  /** Whole seconds, at least one. */
  readonly period: Milliseconds;
}

/** When something runs. */
export type Schedule = FieldSchedule | EverySchedule;

/** Longest length of each month. */
const daysIn = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns a schedule of five fields, and determines whether it is possible. */
export function fieldSchedule(fields: Omit<FieldSchedule, 'kind' | 'isPossible'>): FieldSchedule {
  const { minute, hour, dayOfMonth, month, dayOfWeek } = fields;
  const someDate = daysIn.some((days, index) => month.has[index + 1] && dayOfMonth.has.slice(0, days + 1).includes(true));
  const someWeekday = dayOfWeek.has.includes(true) && month.has.includes(true);
  const someDay = eitherMayMatch(fields) ? someDate || someWeekday : someDate && someWeekday;
  return { kind: 'Fields', ...fields, isPossible: someDay && hour.has.includes(true) && minute.has.includes(true) };
}

/**
 * Returns whether a match of day of month or day of week is sufficient. With a star in one of them both must match.
 *
 * @see spec/advancedcronjob.md 5.4
 */
export const eitherMayMatch = ({ dayOfMonth, dayOfWeek }: Pick<FieldSchedule, 'dayOfMonth' | 'dayOfWeek'>): boolean =>
  !dayOfMonth.isStar && !dayOfWeek.isStar;
