/** Names on the wire that belong to EphemeralJobs alone. */

/** The finalizer that the manager puts on EphemeralJobs. */
export const ephemeralJobFinalizer = 'apps.kruise.io/ephemeralcontainers-cleanup';

/** Environment variables in containers of users' Pods, of EphemeralJobs alone. */
export const ephemeralJobEnvNames = {
  /** Injected into ephemeral containers: UID of the EphemeralJob. */
  id: 'KRUISE_EJOB_ID',
} as const;
