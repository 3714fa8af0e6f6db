/** What the rules for an AdvancedCronJob need to know about its schedule: the grammar and the zones are implemented elsewhere. */
export interface ScheduleRules {
  /** Returns the fault of a schedule, with or without a zone before it, in words; undefined when it can be parsed. Never throws. */
  readonly faultOfSchedule: (text: string) => string | undefined;
  /** Returns whether a schedule selects no possible day, such as the 30th of February. Never throws. */
  readonly neverComes: (text: string) => boolean;
  /** Returns the period in milliseconds of `@every <duration>`; undefined for other schedules. Never throws. */
  readonly periodOf: (text: string) => number | undefined;
  /** Returns why there is no time zone with that name, which is not empty, in words; undefined when there is one. Never throws. */
  readonly faultOfZone: (name: string) => string | undefined;
}
