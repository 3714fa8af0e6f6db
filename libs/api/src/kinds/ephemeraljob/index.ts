/** EphemeralJob: declaration, types, validation. */
export { declaration, ephemeralJobs } from './schema.ts';
export type { EphemeralContainer, EphemeralJob, EphemeralJobSpec, EphemeralJobStatus } from './schema.ts';
export { validateEphemeralJob } from './validation.ts';
