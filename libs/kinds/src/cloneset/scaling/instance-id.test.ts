/** Which ids new Pods get. @see spec/cloneset.md 5.6, 6 */
import { describe, expect, it } from '@jest/globals';
import { cloneSetLabels, type CloneSet } from '@kruise/api';
import { chooseInstanceIds } from './instance-id.ts';
import { momentOf, type Situation } from '../situation.testing.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';

const seenIn = (given: Situation = {}): Snapshot => momentOf(given).seen;
const reusing: Situation['set'] = { spec: { scaleStrategy: { enablePVCReuse: true } } };

describe('ids that are drawn', () => {
  it.each([0, 1, 2, 40])('%i are as many as requested, all different, sorted, of the alphabet of names', (count) => {
    const { ids, blocked } = chooseInstanceIds(seenIn(), count);
    expect(ids).toHaveLength(count);
    expect(new Set(ids).size).toBe(count);
    expect(ids).toEqual([...ids].sort());
    expect(ids.filter((id) => !/^[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(id))).toEqual([]);
    expect(blocked).toEqual([]);
  });

  it('spread over the whole alphabet', () => {
    const { ids } = chooseInstanceIds(seenIn(), 200);
    for (let place = 0; place < 5; place++) expect(new Set(ids.map((id) => id[place])).size).toBe(27);
  });

  const base: Situation = { pods: { a: {}, b: {} }, claims: ['data-a'] };
  const drawn = (seen: Snapshot): string => chooseInstanceIds(seen, 3).ids.join();

  it('are the same again while nothing has changed but the status', () => {
    const seen = seenIn(base);
    const counted = { ...seen.cloneSet, status: { ...seen.cloneSet.status, replicas: 7 } as NonNullable<CloneSet['status']> };
    expect(drawn({ ...seen, cloneSet: counted })).toBe(drawn(seen));
    expect(drawn({ ...seen, lastVanished: '' })).toBe(drawn(seen));
  });

  const changed = (seen: Snapshot, metadata: object): CloneSet => ({
    ...seen.cloneSet,
    metadata: { ...seen.cloneSet.metadata, ...metadata },
  });
  it.each<{ name: string; change: (seen: Snapshot) => Partial<Snapshot> }>([
    { name: 'with another CloneSet of the same name', change: (seen) => ({ cloneSet: changed(seen, { uid: 'other' }) }) },
    { name: 'with another generation', change: (seen) => ({ cloneSet: changed(seen, { generation: 2 }) }) },
    {
      name: 'with another Pod of the same name',
      change: ({ pods }) => ({ pods: pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, uid: 'x' } })) }),
    },
    { name: 'without one of the Pods', change: ({ pods }) => ({ pods: pods.slice(1) }) },
    {
      name: 'with another claim',
      change: ({ claims }) => ({ claims: claims.map((claim) => ({ ...claim, metadata: { ...claim.metadata, uid: 'x' } })) }),
    },
    { name: 'after a Pod has vanished', change: () => ({ lastVanished: 'uid-gone' }) },
    { name: 'after the other uid has moved from a Pod to a claim', change: ({ pods, claims }) => ({ pods: [...pods].reverse(), claims }) },
  ])('are others $name', ({ change }) => {
    const seen = seenIn(base);
    expect(drawn({ ...seen, ...change(seen) })).not.toBe(drawn(seen));
  });

  it('are the same in every version, so that another one that takes over requests the same names', () => {
    const seen = seenIn(base);
    const drawn = [seenIn(), seen, { ...seen, lastVanished: 'uid-gone' }].map((one) => chooseInstanceIds(one, 3).ids);
    expect(drawn).toEqual([
      ['2q2hj', 'nsmvr', 'qfn4b'],
      ['6x4rp', 'bm2w4', 'svwsq'],
      ['dgb86', 'pf2x5', 't4ljg'],
    ]);
  });

  it('are never those of Pods or claims, nor names in use', () => {
    const seen = seenIn(base);
    const [first = '', second = '', third = ''] = chooseInstanceIds(seen, 3).ids;
    const relabelled = <T extends Snapshot['pods'][number] | Snapshot['claims'][number]>(object: T, id: string): T => ({
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata.labels, [cloneSetLabels.instanceId]: id } },
    });
    const next = chooseInstanceIds(
      {
        ...seen,
        pods: seen.pods.map((pod, index) => (index === 0 ? relabelled(pod, first) : pod)),
        claims: seen.claims.map((claim) => relabelled(claim, second)),
        takenNames: new Set([`sample-${third}`]),
      },
      3,
    ).ids;
    expect(next).toHaveLength(3);
    expect(next.filter((id) => [first, second, third].includes(id))).toEqual([]);
  });

  it('do not repeat themselves within the first thousand', () => {
    expect(new Set(chooseInstanceIds(seenIn(), 1000).ids).size).toBe(1000);
  });
});

describe('ids of claims', () => {
  const claims = ['data-d', 'logs-b', 'data-b', 'data-c'];

  it.each<{ name: string; given: Situation; count: number; then: { ids: readonly string[]; blocked: readonly string[] } }>([
    {
      name: 'are used again in their order, each once',
      given: { set: reusing, claims },
      count: 3,
      then: { ids: ['b', 'c', 'd'], blocked: [] },
    },
    { name: 'no more than are wanted', given: { set: reusing, claims }, count: 2, then: { ids: ['b', 'c'], blocked: [] } },
    {
      name: 'none when none is wanted',
      given: { set: reusing, claims, pods: { x: { terminating: true } } },
      count: 0,
      then: { ids: [], blocked: [] },
    },
    {
      name: 'not those of active Pods',
      given: { set: reusing, claims, pods: { b: {}, c: { ready: false, phase: 'Pending' } } },
      count: 1,
      then: { ids: ['d'], blocked: [] },
    },
    {
      name: 'not those of Pods that lost their labels',
      given: { set: reusing, claims, pods: { b: { labels: { [cloneSetLabels.instanceId]: '' } }, c: {} } },
      count: 1,
      then: { ids: ['d'], blocked: [] },
    },
    {
      name: 'those of Pods that terminate are waited for, and count as given out',
      given: {
        set: reusing,
        claims,
        pods: { b: { terminating: true }, c: { terminating: true, phase: 'Failed' }, d: { terminating: true } },
      },
      count: 3,
      then: { ids: [], blocked: ['b', 'c', 'd'] },
    },
    {
      name: 'free ones come before those that are waited for, and no more are waited for than are missing then',
      given: { set: reusing, claims, pods: { b: { terminating: true }, c: { terminating: true } } },
      count: 2,
      then: { ids: ['d'], blocked: ['b'] },
    },
    {
      name: 'none is waited for when free ones are enough',
      given: { set: reusing, claims, pods: { b: { terminating: true } } },
      count: 2,
      then: { ids: ['c', 'd'], blocked: [] },
    },
    {
      name: 'those whose names another owner uses are skipped',
      given: { set: reusing, claims, seen: { takenNames: new Set(['sample-b', 'other-c']) } },
      count: 2,
      then: { ids: ['c', 'd'], blocked: [] },
    },
  ])('$name', ({ given, count, then }) => {
    expect(chooseInstanceIds(seenIn(given), count)).toEqual(then);
  });

  it('of active Pods are not waited for, and new ones are drawn instead', () => {
    const { ids, blocked } = chooseInstanceIds(seenIn({ set: reusing, claims, pods: { b: {}, c: { ready: false, phase: 'Pending' } } }), 3);
    expect(blocked).toEqual([]);
    expect(ids).toHaveLength(3);
    expect(ids.filter((id) => id.length === 1)).toEqual(['d']);
  });

  it.each<{ name: string; given: Situation }>([
    { name: 'ended', given: { pods: { b: { phase: 'Failed' }, c: { phase: 'Succeeded' } } } },
    { name: 'belong to another owner', given: { seen: { takenNames: new Set(['sample-b', 'sample-c']) } } },
  ])('of Pods that $name are not waited for, and new ones are drawn instead', ({ given }) => {
    const { ids, blocked } = chooseInstanceIds(seenIn({ set: reusing, claims, ...given }), 3);
    expect(blocked).toEqual([]);
    expect(ids).toHaveLength(3);
    expect(ids.filter((id) => id.length === 1)).toEqual(['d']);
  });

  it('are filled up with new ones, without those that are waited for', () => {
    const { ids, blocked } = chooseInstanceIds(seenIn({ set: reusing, claims, pods: { b: { terminating: true } } }), 5);
    expect(blocked).toEqual(['b']);
    expect(ids).toHaveLength(4);
    expect(ids).toEqual(expect.arrayContaining(['c', 'd']));
  });

  it('are not used again without reuse', () => {
    const { ids, blocked } = chooseInstanceIds(seenIn({ claims, pods: { b: { terminating: true } } }), 4);
    expect(blocked).toEqual([]);
    expect(ids.filter((id) => id.length !== 5)).toEqual([]);
    expect(ids).toHaveLength(4);
  });

  it('a claim without an id gives none', () => {
    const seen = {
      ...seenIn({ set: reusing }),
      claims: [{ metadata: { name: 'x', uid: 'x' } }, { metadata: { name: 'y', uid: 'y', labels: {} } }],
    };
    const { ids, blocked } = chooseInstanceIds(seen, 2);
    expect(blocked).toEqual([]);
    expect(ids.map((id) => id.length)).toEqual([5, 5]);
  });
});
