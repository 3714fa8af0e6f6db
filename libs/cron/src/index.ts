/** Cron schedules: their syntax, time zones, the next time and the latest missed one. */
export { formatInZone } from './format-in-zone.ts';
export { latestMissed } from './latest-missed.ts';
export type { LatestMissed } from './latest-missed.ts';
export { nextTime } from './next-time.ts';
export { parseSchedule } from './parse-schedule.ts';
export type { Field, FieldSchedule, Schedule } from './schedule.ts';
export { isZoneName, zoneNames } from './zone-names.ts';
export { createZoneLoader, loadZone } from './zone.ts';
export type { Zone, ZoneLoader } from './zone.ts';
