/** ImagePullJob: declaration, types, conversion, defaults and validation. */
export { converter } from './conversion.ts';
export { defaultImagePullJob, protectImagePullJob } from './defaults.ts';
export { imagePullJobFault, keepsPullSecrets } from './validation.ts';
export { declaration, imagePullJobs, imagePullJobsV1Alpha1 } from './schema.ts';
export type { ImagePullJob, ImagePullJobSpec, ImagePullJobStatus, ImagePullJobV1Alpha1 } from './schema.ts';
