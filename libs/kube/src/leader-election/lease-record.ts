/** The Lease as candidates read and write it. This file is pure. */
import { formatMicroTime, type Instant, type Lease, type ObjectKey } from '@kruise/objects';

type LeaseSpec = NonNullable<Lease['spec']>;

export const holderOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? '';

/** Returns a text that differs exactly when the record does, in whatever order its members are. */
export const recordText = (lease: Lease): string => JSON.stringify(Object.entries(lease.spec ?? {}).toSorted());

/** Returns how long other candidates leave the lease alone after a change, in milliseconds. */
export const durationOf = (lease: Lease): number => (lease.spec?.leaseDurationSeconds ?? 0) * 1000;

/** Returns a lease that does not exist yet. */
export function newLease(key: ObjectKey, identity: string, leaseDurationSeconds: number, now: Instant): Lease {
  const spec: LeaseSpec = {
    holderIdentity: identity,
    leaseDurationSeconds,
    acquireTime: formatMicroTime(now),
    renewTime: formatMicroTime(now),
    leaseTransitions: 0,
  };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: key.name, namespace: key.namespace }, spec };
}

/** Returns the lease as held by `identity` from now on. A change of the holder raises the number of transitions and sets the time of acquisition. */
export function takenLease(lease: Lease, identity: string, leaseDurationSeconds: number, now: Instant): Lease {
  const before: LeaseSpec = lease.spec ?? {};
  const time = formatMicroTime(now);
  const own = before.holderIdentity === identity;
  const transitions = before.leaseTransitions ?? 0;
  return {
    ...lease,
    spec: {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds,
      acquireTime: own ? (before.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: own ? transitions : transitions + 1,
    },
  };
}

/** Returns the lease without a holder: the next candidate that reads it may take it. */
export function releasedLease(lease: Lease, now: Instant): Lease {
  const time = formatMicroTime(now);
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time } };
}
