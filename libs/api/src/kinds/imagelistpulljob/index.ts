/** ImageListPullJob: declaration, types, conversion, defaults and validation. */
export { converter as imageListPullJobConverter } from './conversion.ts';
export { defaultImageListPullJob } from './defaults.ts';
export { imageListPullJobFault } from './validation.ts';
export { declaration as imageListPullJobDeclaration, imageListPullJobs, imageListPullJobsV1Alpha1 } from './schema.ts';
export type { ImageListPullJob, ImageListPullJobSpec, ImageListPullJobStatus, ImageListPullJobV1Alpha1 } from './schema.ts';
