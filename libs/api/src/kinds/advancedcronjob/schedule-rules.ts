/** What the rules for an AdvancedCronJob ask about its schedule: the grammar and the zones are known elsewhere. */
export interface ScheduleRules {
  /** What is wrong with a schedule, with or without a zone before it, in words; undefined when it can be read. Never throws. */
  readonly faultOfSchedule: (text: string) => string | undefined;
  /** Whether no day there will ever be is meant, such as the 30th of February. Never throws. */
  readonly neverComes: (text: string) => boolean;
  /** How long apart in milliseconds, of `@every <duration>`; undefined for other schedules. Never throws. */
  readonly periodOf: (text: string) => number | undefined;
  /** Why there is no time zone of that name, which is not empty, in words; undefined when there is one. Never throws. */
  readonly faultOfZone: (name: string) => string | undefined;
}
