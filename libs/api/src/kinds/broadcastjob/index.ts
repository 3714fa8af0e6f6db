/** BroadcastJob: declaration, types and conversion. */
import { sameInBothVersions } from '../../conversion/converter.ts';

export { broadcastJobLabels } from './names.ts';
export { broadcastJobs, broadcastJobsV1Alpha1, declaration as broadcastJobDeclaration } from './schema.ts';
export type { BroadcastJob, BroadcastJobSpec, BroadcastJobStatus, BroadcastJobV1Alpha1 } from './schema.ts';

/** Converts BroadcastJobs between v1alpha1 and v1beta1; pure, never writes to its input. @see spec/manager.md 4.8 */
export const broadcastJobConverter = sameInBothVersions('apps.kruise.io', 'BroadcastJob');
