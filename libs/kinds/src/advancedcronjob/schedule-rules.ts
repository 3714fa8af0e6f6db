/** What the admission rules of AdvancedCronJobs need to know about schedules and time zones. @see spec/advancedcronjob.md 4 */
import type { ScheduleRules } from '@kruise/api';
import { isZoneName, parseSchedule } from '@kruise/cron';

/** The grammar of `@kruise/cron`, and the time zones of the runtime. */
export const scheduleRules: ScheduleRules = {
  faultOfSchedule: (text) => {
    const parsed = parseSchedule(text);
    return parsed.kind === 'Faulty' ? parsed.why : undefined;
  },
  neverComes: (text) => {
    const parsed = parseSchedule(text);
    return parsed.kind !== 'Faulty' && parsed.schedule.kind === 'Fields' && !parsed.schedule.isPossible;
  },
  periodOf: (text) => {
    const parsed = parseSchedule(text);
    return parsed.kind !== 'Faulty' && parsed.schedule.kind === 'Every' ? parsed.schedule.period : undefined;
  },
  faultOfZone: (zone) => (isZoneName(zone) ? undefined : `unknown time zone ${zone}`),
};
