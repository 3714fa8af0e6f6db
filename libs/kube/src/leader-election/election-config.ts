import type { Milliseconds, ObjectKey } from '@kruise/objects';

/** Candidates wait up to this factor longer than the retry period, so that they do not all try at the same moment. */
export const jitterFactor = 1.2;

/** The timing of an election. Usual values are 15 s, 10 s and 2 s. */
export interface ElectionConfig {
  /** The Lease that the candidates compete for. */
  readonly lease: ObjectKey;
  /** The identity of this candidate, unique among all: `<hostname>_<uuid>`. */
  readonly identity: string;
  /** How long other candidates leave the lease alone after they saw a renewal. It is written in whole seconds. */
  readonly leaseDuration: Milliseconds;
  /** The leader stops leading when no renewal succeeded for this long. */
  readonly renewDeadline: Milliseconds;
  /** The time between two attempts to acquire or to renew. */
  readonly retryPeriod: Milliseconds;
}

/**
 * Checks the numbers of an election.
 *
 * @returns one sentence for each fault; empty when the numbers are consistent
 */
export function validateElection(config: ElectionConfig): readonly string[] {
  const { leaseDuration, renewDeadline, retryPeriod, identity, lease } = config;
  const faults: (readonly [boolean, string])[] = [
    [identity === '', 'the identity must not be empty'],
    [lease.name === '' || lease.namespace === '', 'the lease needs a namespace and a name'],
    [!(leaseDuration >= 1000), `the lease duration must be at least 1 s, got ${leaseDuration} ms`],
    [!(renewDeadline > 0), `the renew deadline must be above 0, got ${renewDeadline} ms`],
    [!(retryPeriod > 0), `the retry period must be above 0, got ${retryPeriod} ms`],
    [
      !(Math.floor(leaseDuration / 1000) * 1000 > renewDeadline),
      `the lease duration in whole seconds must be longer than the renew deadline: ${leaseDuration} ms, ${renewDeadline} ms`,
    ],
    [
      !(renewDeadline > jitterFactor * retryPeriod),
      `the renew deadline must be longer than ${jitterFactor} x the retry period: ${renewDeadline} ms, ${retryPeriod} ms`,
    ],
  ];
  return faults.filter(([faulty]) => faulty).map(([, fault]) => fault);
}
