/** AdvancedCronJob: declaration, types and conversion. */
export { converter } from './conversion.ts';
export { advancedCronJobs, advancedCronJobsV1Alpha1, declaration } from './schema.ts';
export type {
  AdvancedCronJob,
  AdvancedCronJobSpec,
  AdvancedCronJobSpecV1Alpha1,
  AdvancedCronJobStatus,
  AdvancedCronJobV1Alpha1,
} from './schema.ts';
