/** AdvancedCronJob: declaration, types, conversion, defaults, validation and warnings. */
export { advancedCronJobAnnotations } from './names.ts';
export { converter as advancedCronJobConverter } from './conversion.ts';
export { defaultAdvancedCronJob } from './defaults.ts';
export type { ScheduleRules } from './schedule-rules.ts';
export { advancedCronJobs, advancedCronJobsV1Alpha1, declaration as advancedCronJobDeclaration } from './schema.ts';
export type {
  AdvancedCronJob,
  AdvancedCronJobSpec,
  AdvancedCronJobSpecV1Alpha1,
  AdvancedCronJobStatus,
  AdvancedCronJobV1Alpha1,
} from './schema.ts';
export { advancedCronJobObstacle, advancedCronJobWarnings, validateAdvancedCronJob } from './rules.ts';
export type { AdvancedCronJobValidation } from './validation.ts';
export { validateAdvancedCronJobUpdate } from './validation-update.ts';
