import { instant, type Lease } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { durationOf, holderOf, newLease, recordText } from './lease-record.ts';

const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: '2025-01-01T00:00:00.000000Z', leaseTransitions: 3 };
const lease = (of?: object): Lease => ({ metadata: { name: 'l', namespace: 'n' }, ...(of === undefined ? {} : { spec: of }) });

/** Returns every permutation of the entries. */
const ordersOf = <T>(entries: readonly T[]): readonly (readonly T[])[] =>
  entries.length < 2 ? [entries] : entries.flatMap((first, index) => ordersOf(entries.toSpliced(index, 1)).map((rest) => [first, ...rest]));

describe('the record of a lease', () => {
  it('is the same for every order of its members, and does not depend on fields beside them', () => {
    const orders = ordersOf(Object.entries(spec)).map((entries) => recordText(lease(Object.fromEntries(entries))));
    const relabelled = recordText({ ...lease(spec), metadata: { name: 'l', namespace: 'n', labels: { a: 'b' } } });
    expect(orders).toHaveLength(24);
    expect(new Set([...orders, relabelled]).size).toBe(1);
  });

  it.each([{ renewTime: '2025-01-01T00:00:00.000001Z' }, { holderIdentity: '' }, { leaseTransitions: 4 }, { more: 1 }])(
    'differs for %j',
    (change) => {
      expect(recordText(lease({ ...spec, ...change }))).not.toBe(recordText(lease(spec)));
    },
  );

  it.each([
    { of: undefined, holder: '', duration: 0 },
    { of: lease(), holder: '', duration: 0 },
    { of: lease({}), holder: '', duration: 0 },
    { of: lease(spec), holder: 'a', duration: 15_000 },
  ])('$of.spec names the holder "$holder" and $duration ms', ({ of, holder, duration }) => {
    expect([holderOf(of), of === undefined ? 0 : durationOf(of)]).toEqual([holder, duration]);
  });

  it('of a new lease is complete', () => {
    expect(newLease({ namespace: 'n', name: 'l' }, 'a', 15, instant(Date.parse('2025-01-01T00:00:00.123Z')))).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'l', namespace: 'n' },
      spec: {
        holderIdentity: 'a',
        leaseDurationSeconds: 15,
        acquireTime: '2025-01-01T00:00:00.123000Z',
        renewTime: '2025-01-01T00:00:00.123000Z',
        leaseTransitions: 0,
      },
    });
  });
});
