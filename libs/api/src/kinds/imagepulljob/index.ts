/** ImagePullJob: declaration, types, conversion, defaults and validation. */
export { imagePullJobAnnotations, imagePullJobFinalizer } from './names.ts';
export { isNamedAsCopyOf, secretCopyName } from './secret-copy.ts';
export { converter as imagePullJobConverter } from './conversion.ts';
export { defaultImagePullJob, protectImagePullJob } from './defaults.ts';
export { imagePullJobFault, keepsPullSecrets } from './validation.ts';
export { declaration as imagePullJobDeclaration, imagePullJobs, imagePullJobsV1Alpha1 } from './schema.ts';
export type { ImagePullJob, ImagePullJobSpec, ImagePullJobStatus, ImagePullJobV1Alpha1 } from './schema.ts';
