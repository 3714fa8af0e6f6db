/** EphemeralJob: declaration, types, validation. */
export { ephemeralJobEnvNames, ephemeralJobFinalizer } from './names.ts';
export { declaration as ephemeralJobDeclaration, ephemeralJobs } from './schema.ts';
export type { EphemeralContainer, EphemeralJob, EphemeralJobSpec, EphemeralJobStatus } from './schema.ts';
export { validateEphemeralJob } from './validation.ts';
