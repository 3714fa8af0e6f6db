export { childOfBroadcastJob, childOfImageList, childOfJob, childTypeOf } from './children.ts';
export type { Child, ChildState } from './children.ts';
export { newChild } from './new-child.ts';
export { objectOf, plan, stagesOf } from './plan.ts';
export type { Action, Note, Plan, Snapshot } from './plan.ts';
export { scheduleRules } from './schedule-rules.ts';
export { horizonOf, localZone, readSchedule } from './schedule.ts';
export type { Horizon } from './schedule.ts';
export { lastScheduleOf, referenceTo, statusOf } from './status.ts';
