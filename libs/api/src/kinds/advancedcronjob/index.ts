/** AdvancedCronJob: declaration, types and conversion. */
export { advancedCronJobAnnotations } from './names.ts';
export { converter as advancedCronJobConverter } from './conversion.ts';
export { advancedCronJobs, advancedCronJobsV1Alpha1, declaration as advancedCronJobDeclaration } from './schema.ts';
export type {
  AdvancedCronJob,
  AdvancedCronJobSpec,
  AdvancedCronJobSpecV1Alpha1,
  AdvancedCronJobStatus,
  AdvancedCronJobV1Alpha1,
} from './schema.ts';
