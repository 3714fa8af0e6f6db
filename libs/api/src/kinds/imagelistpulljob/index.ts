/** ImageListPullJob: declaration, types, conversion and defaults. */
export { converter } from './conversion.ts';
export { defaultImageListPullJob } from './defaults.ts';
export { declaration, imageListPullJobs, imageListPullJobsV1Alpha1 } from './schema.ts';
export type { ImageListPullJob, ImageListPullJobSpec, ImageListPullJobStatus, ImageListPullJobV1Alpha1 } from './schema.ts';
