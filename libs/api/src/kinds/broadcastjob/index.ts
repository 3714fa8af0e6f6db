/** BroadcastJob: declaration, types, conversion, defaults, validation and warnings. */
import { sameInBothVersions } from '../../conversion/converter.ts';

export { defaultBroadcastJob } from './defaults.ts';
export { broadcastJobLabels } from './names.ts';
export { parallelPods } from './parallelism.ts';
export { broadcastJobs, broadcastJobsV1Alpha1, declaration as broadcastJobDeclaration } from './schema.ts';
export type { BroadcastJob, BroadcastJobSpec, BroadcastJobStatus, BroadcastJobV1Alpha1 } from './schema.ts';
export { broadcastJobObstacle, broadcastJobWarnings, validateBroadcastJob } from './rules.ts';
export type { BroadcastJobValidation } from './validation.ts';
export type { BroadcastJobWarningOptions } from './warnings.ts';

/** Converts BroadcastJobs between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const broadcastJobConverter = sameInBothVersions('apps.kruise.io', 'BroadcastJob');
