/** BroadcastJob: declaration, types and conversion. */
import { sameInBothVersions } from '../../conversion/converter.ts';

export { broadcastJobs, broadcastJobsV1Alpha1, declaration } from './schema.ts';
export type { BroadcastJob, BroadcastJobSpec, BroadcastJobStatus, BroadcastJobV1Alpha1 } from './schema.ts';

export const converter = sameInBothVersions('apps.kruise.io', 'BroadcastJob');
