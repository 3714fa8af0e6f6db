/** What an AdvancedCronJob of either version must fulfil to be stored. @see spec/advancedcronjob.md 4.2 */
import {
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTypeInvalid,
  isUnset,
  membersAt,
  type FieldError,
  type JsonObject,
} from '@kruise/objects';
import { atLeast, bool, objectOf, wholeNumber } from '../../pod-template/validation/checks/check.ts';
import type { BroadcastJobValidation } from '../broadcastjob/validation.ts';
import type { ScheduleRules } from './schedule-rules.ts';

/** What the rules for an AdvancedCronJob depend on besides the object. */
export interface AdvancedCronJobValidation extends BroadcastJobValidation {
  readonly schedules: ScheduleRules;
}

const maxInt64 = 2n ** 63n - 1n;

/** The types of the members that need no rule of their own. */
export const shape = objectOf({
  failedJobsHistoryLimit: atLeast(0),
  paused: bool,
  startingDeadlineSeconds: wholeNumber(0, maxInt64, 'must be greater than or equal to 0'),
  successfulJobsHistoryLimit: atLeast(0),
});

/** Validates the schedule. */
export function validateSchedule({ schedule, timeZone }: JsonObject, { faultOfSchedule }: ScheduleRules): readonly FieldError[] {
  const path = 'spec.schedule';
  const text = isUnset(schedule) ? '' : schedule;
  if (typeof text !== 'string') return [fieldTypeInvalid(path, schedule, 'must be a string')];
  const fault = faultOfSchedule(text);
  return [
    ...(text === '' ? [fieldRequired(path, 'schedule cannot be empty, please provide a valid cron schedule')] : []),
    ...(fault === undefined ? [] : [fieldInvalid(path, text, fault)]),
    ...(!isUnset(timeZone) && text.includes('TZ')
      ? [fieldInvalid(path, text, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')]
      : []),
  ];
}

/** Validates the time zone. */
export function validateZone(zone: unknown, { faultOfZone }: ScheduleRules): readonly FieldError[] {
  const path = 'spec.timeZone';
  if (isUnset(zone)) return [];
  if (typeof zone !== 'string') return [fieldTypeInvalid(path, zone, 'must be a string')];
  if (zone === '') return [fieldInvalid(path, zone, 'must be nil or non-empty string')];
  // The zone of any machine that the manager runs on.
  if (zone.toLowerCase() === 'local') return [fieldInvalid(path, zone, 'must be an explicit time zone, such as Europe/Berlin')];
  const fault = faultOfZone(zone);
  return fault === undefined ? [] : [fieldInvalid(path, zone, fault)];
}

/** Validates concurrency: parallel jobs that pull the same images have no use. */
export function validateConcurrency(spec: JsonObject): readonly FieldError[] {
  const policy = spec['concurrencyPolicy'] ?? '';
  const path = 'spec.concurrencyPolicy';
  const pullsImages = !isUnset(membersAt(spec, 'template')['imageListPullJobTemplate']);
  const supported = pullsImages ? ['Forbid', 'Replace'] : ['Allow', 'Forbid', 'Replace'];
  if (typeof policy !== 'string') return [fieldTypeInvalid(path, policy, 'must be a string')];
  return supported.includes(policy) ? [] : [fieldNotSupported(path, policy, supported)];
}
