import { describe, expect, it } from '@jest/globals';
import type { PodUnavailableBudget, PodUnavailableBudgetStatus } from '@kruise/api';
import { milliseconds, type Pod } from '@kruise/objects';
import { aPod } from '@kruise/testing';
import { EntryAges } from './entry-ages.ts';
import { entriesOf, keepEntries, overdueEntries, type EntryMap, type EntrySigns } from './kept.ts';

const time = '2026-01-01T00:00:00Z';
const status = (over: Partial<PodUnavailableBudgetStatus>): PodUnavailableBudgetStatus => ({
  currentAvailable: 1,
  desiredAvailable: 1,
  totalReplicas: 1,
  unavailableAllowed: 0,
  ...over,
});
const p = aPod({ name: 'p' });
const signs = (over: Partial<EntrySigns> = {}): EntrySigns => ({
  pods: new Map([['p', p]]),
  ageOf: () => milliseconds(1000),
  isBehind: () => false,
  live: new Map(),
  isAvailable: () => true,
  ...over,
});
const liveAs = (pod: Pod) => ({ live: new Map([['p', pod]]) });
const aged = (ms: number) => ({ ageOf: () => milliseconds(ms) });

describe('the record of an admission (5.5)', () => {
  const deleted = { pods: new Map<string, Pod>() };
  const terminating = { ...p, metadata: { ...p.metadata, deletionTimestamp: time } };
  const other = { ...p, metadata: { ...p.metadata, uid: 'other' } };
  it.each<{
    name: string;
    map?: 'unavailablePods';
    over: Partial<EntrySigns>;
    then: { kept: boolean; undeleted?: number; after?: number };
  }>([
    { name: 'of a deletion is kept for 20 s', over: aged(19_999), then: { kept: true, after: 1 } },
    {
      name: 'of a deletion that did not happen is removed after 20 s, which is reported',
      over: { ...aged(20_000), ...liveAs(p) },
      then: { kept: false, undeleted: 1 },
    },
    { name: 'of an update is kept for 10 s', map: 'unavailablePods', over: aged(9_000), then: { kept: true, after: 1000 } },
    {
      name: 'of an update is removed silently after 10 s',
      map: 'unavailablePods',
      over: { ...aged(10_000), ...liveAs(p) },
      then: { kept: false },
    },
    { name: 'of a deleted Pod is removed', over: deleted, then: { kept: false } },
    {
      name: 'of a Pod that the cache does not contain is kept while the cache is behind',
      over: { ...deleted, isBehind: () => true },
      then: { kept: true, after: 1000 },
    },
    {
      name: 'is kept as long as the deletion is only unknown to the cache',
      over: { ...aged(60_000), live: new Map() },
      then: { kept: true, after: 1000 },
    },
    {
      name: 'is kept until the cache contains the deletion of the Pod',
      over: { ...aged(60_000), ...liveAs(terminating) },
      then: { kept: true, after: 1000 },
    },
    {
      name: 'is kept as long as the cache does not know of the Pod that took the name',
      over: { ...aged(60_000), ...liveAs(other) },
      then: { kept: true, after: 1000 },
    },
    {
      name: 'is kept as long as the cache does not know that the Pod became unavailable',
      map: 'unavailablePods',
      over: { ...aged(60_000), ...liveAs(aPod({ name: 'p', ready: false })), isAvailable: (pod) => pod === p },
      then: { kept: true, after: 1000 },
    },
    {
      name: 'is removed when neither knows the Pod as available',
      over: { ...aged(20_000), ...liveAs(p), isAvailable: () => false },
      then: { kept: false, undeleted: 1 },
    },
  ])('$name', ({ map, over, then: { kept, undeleted = 0, after } }) => {
    const where: EntryMap = map ?? 'disruptedPods';
    const result = keepEntries(status({ [where]: { p: time } }), signs(over));
    expect(result[where]).toEqual(kept ? { p: time } : {});
    expect(result.undeleted).toHaveLength(undeleted);
    expect(result.requeueAfter).toBe(after);
  });

  it('is looked at again when the first of several is over', () => {
    const pods = new Map(['p', 'q'].map((name) => [name, aPod({ name })]));
    const both = status({ disruptedPods: { p: time }, unavailablePods: { q: time } });
    expect(keepEntries(both, signs({ pods, ...aged(2000) }))).toEqual({
      disruptedPods: { p: time },
      unavailablePods: { q: time },
      undeleted: [],
      requeueAfter: 8000,
    });
  });

  it('is asked about at the API server once its time is over, if the cache has the Pod', () => {
    const held = status({ disruptedPods: { p: time, gone: time }, unavailablePods: { p: time } });
    expect(overdueEntries(held, signs(aged(10_000))).map(({ map, pod }) => `${map} ${pod}`)).toEqual(['unavailablePods p']);
    expect(overdueEntries(held, signs(aged(20_000)))).toHaveLength(2);
    expect(entriesOf(undefined)).toEqual([]);
  });
});

describe('how long a record is known (5.5, ours)', () => {
  const key = { namespace: 'default', name: 'b' };
  const budget = (resourceVersion: string, disruptedPods: Record<string, string>): PodUnavailableBudget => ({
    metadata: { ...key, resourceVersion },
    spec: {},
    status: status({ disruptedPods }),
  });
  const entry = { map: 'disruptedPods', pod: 'p', time } as const;

  it('is counted by the controller, whatever the time in it', () => {
    const ages = new EntryAges();
    ages.note(budget('5', { p: time }), 1000);
    ages.note(budget('7', { p: time, q: time }), 3000);
    expect([ages.ageOf(key, entry, 4000), ages.ageOf(key, { ...entry, pod: 'q' }, 4000)]).toEqual([3000, 1000]);
    expect(ages.ageOf({ ...key, name: 'other' }, entry, 4000)).toBe(0);
  });

  it('restarts with a renewed record, and ends with it', () => {
    const ages = new EntryAges();
    ages.note(budget('5', { p: time }), 1000);
    const renewed = { ...entry, time: '2026-01-01T00:00:09Z' };
    ages.note(budget('6', { p: renewed.time }), 9000);
    expect([ages.ageOf(key, renewed, 9500), ages.ageOf(key, entry, 9500)]).toEqual([500, 0]);
    ages.note(budget('7', {}), 9600);
    expect(ages.size).toBe(0);
    ages.note(budget('8', { p: time }), 9700);
    ages.forget(key);
    expect(ages.size).toBe(0);
  });

  it('a cache is behind until it has come as far as the copy that showed the record', () => {
    const ages = new EntryAges();
    ages.note(budget('100', { p: time }), 0);
    expect(['99', '100', '101', undefined, 'x'].map((version) => ages.isAfter(key, entry, version))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(ages.isAfter(key, { ...entry, pod: 'unknown' }, '101')).toBe(true);
  });
});
