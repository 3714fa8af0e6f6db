/** EphemeralJob: declaration, types. */
export { declaration, ephemeralJobs } from './schema.ts';
export type { EphemeralContainer, EphemeralJob, EphemeralJobSpec, EphemeralJobStatus } from './schema.ts';
