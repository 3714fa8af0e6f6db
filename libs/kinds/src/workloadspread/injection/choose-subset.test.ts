import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  initialStates,
  isSpreadByOrdinal,
  onlyOpenSubset,
  ordinalOf,
  placePod,
  releasePod,
  subsetOfOrdinal,
  widened,
} from './choose-subset.ts';
import { aSpread, aSubset, later, timeOf, type SubsetStatus } from '../testing.ts';

const state = (name: string, missingReplicas: number, more: Partial<SubsetStatus> = {}): SubsetStatus => ({
  name,
  replicas: 0,
  missingReplicas,
  ...more,
});
const closed: Partial<SubsetStatus> = {
  conditions: [{ type: 'Schedulable', status: 'False', reason: 'PodUnschedulable', message: '', lastTransitionTime: timeOf(0) }],
};

describe('the place of a new Pod', () => {
  it.each<{ name: string; states: readonly SubsetStatus[]; then: unknown }>([
    { name: 'is in the first subset that has room', states: [state('a', 0), state('b', 2), state('c', 1)], then: ['Taken', 'b'] },
    { name: 'is in one without a limit, where nothing is counted', states: [state('a', 0), state('b', -1)], then: ['Open', 'b'] },
    {
      name: 'is in none that is not schedulable',
      states: [state('a', 2, closed), state('b', -1, closed), state('c', 1)],
      then: ['Taken', 'c'],
    },
    { name: 'is nowhere when all are full', states: [state('a', 0), state('b', 0)], then: ['NoRoom', undefined] },
    { name: 'is nowhere without subsets', states: [], then: ['NoRoom', undefined] },
    {
      name: 'is where it was counted before, full or not',
      states: [state('a', 1), state('b', 0, { creatingPods: { web: timeOf(0) } })],
      then: ['Held', 'b'],
    },
    {
      name: 'is not held by lists that are null',
      states: [state('a', 1, { creatingPods: null as never, deletingPods: null as never })],
      then: ['Taken', 'a'],
    },
    {
      name: 'is where one of its name is being deleted',
      states: [state('a', 1), state('b', 0, { deletingPods: { web: timeOf(0) } })],
      then: ['Held', 'b'],
    },
  ])('$name', ({ states, then }) => {
    const placing = placePod(states, 'web', later(0));
    expect([placing.kind, placing.kind === 'NoRoom' ? undefined : placing.subset]).toEqual(then);
  });

  it('is taken, and noted with the time in seconds', () => {
    const placing = placePod([state('a', 2, { creatingPods: { x: timeOf(0) } }), state('b', 1)], 'web', later(1999));
    expect(placing).toEqual({
      kind: 'Taken',
      subset: 'a',
      states: [state('a', 1, { creatingPods: { x: timeOf(0), web: timeOf(1000) } }), state('b', 1)],
    });
  });

  it('of a version that is new is in the limits as they are', () => {
    expect(initialStates([aSubset('a', 2), aSubset('b')], [2, -1])).toEqual([state('a', 2), state('b', -1)]);
  });

  it('never crosses a limit, however many come and go', () => {
    const step = fc.record({ id: fc.nat(8).map(String), comes: fc.boolean() });
    const limits = fc.array(fc.nat(3), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 40, size: 'max' }), (given, steps) => {
        let states = initialStates(
          given.map((limit, index) => aSubset(`s${index}`, limit)),
          given,
        );
        for (const { id, comes } of steps) {
          const held = states.find(({ creatingPods = {} }) => id in creatingPods)?.name ?? 's0';
          const done = comes
            ? placePod(states, id, later(0))
            : releasePod(states, { pod: `old-${id}`, subset: held, limit: undefined }, later(0));
          if (done.kind === 'Taken' || done.kind === 'Released') states = done.states;
        }
        const kept = states.every(({ creatingPods = {}, deletingPods = {}, missingReplicas }, index) => {
          const taken = Object.keys(creatingPods).length - Object.keys(deletingPods).length;
          return missingReplicas >= 0 && taken + missingReplicas === given[index];
        });
        expect(kept).toBe(true);
      }),
    );
  });
});

describe('the place of a Pod that is being deleted', () => {
  const released = (states: readonly SubsetStatus[], subset: string, limit?: number) => {
    const releasing = releasePod(states, { pod: 'web', subset, limit }, later(0));
    return releasing.kind === 'Released' ? releasing.states.map((one) => [one.missingReplicas, one.deletingPods]) : releasing.kind;
  };
  const noted = { web: timeOf(0) };

  it.each<{ name: string; states: readonly SubsetStatus[]; subset?: string; limit?: number; then: unknown }>([
    { name: 'is free', states: [state('a', 0, { replicas: 3 })], limit: 3, then: [[1, noted]] },
    { name: 'is free when the limit is not known', states: [state('a', 0, { replicas: 3 })], then: [[1, noted]] },
    { name: 'is not, where there are more than there may be', states: [state('a', 0, { replicas: 5 })], limit: 3, then: [[0, noted]] },
    {
      name: 'is, with the last of those that are too many',
      states: [state('a', 0, { replicas: 5, deletingPods: { x: timeOf(0), y: timeOf(0) } })],
      limit: 3,
      then: [[1, { x: timeOf(0), y: timeOf(0), ...noted }]],
    },
    { name: 'is none in a subset without a limit', states: [state('a', -1)], then: 'Nothing' },
    { name: 'is none in a subset that is not there', states: [state('a', 0)], subset: 'z', then: 'Nothing' },
    { name: 'is not free twice', states: [state('a', 1, { deletingPods: noted })], then: 'Nothing' },
    {
      name: 'is not free while it is counted as one that comes',
      states: [state('a', 1), state('b', 0, { creatingPods: noted })],
      then: 'Nothing',
    },
  ])('$name', ({ states, subset = 'a', limit, then }) => {
    expect(released(states, subset, limit)).toEqual(then);
  });
});

describe('limits that have grown', () => {
  it('give room, and never take any', () => {
    const states = [state('a', 0, { replicas: 2, creatingPods: { x: timeOf(0) } }), state('b', 3), state('c', -1), state('gone', 0)];
    const subsets = [aSubset('a', '50%'), aSubset('b', '50%'), aSubset('c')];
    expect(widened(states, subsets, [5, 1, -1]).map(({ missingReplicas }) => missingReplicas)).toEqual([2, 3, -1, 0]);
    expect(widened(states, subsets, [3, 3, -1])).toEqual(states);
  });

  it('do not limit a subset without a limit in the status', () => {
    expect(widened([state('a', -1)], [aSubset('a', '50%')], [5])).toEqual([state('a', -1)]);
    expect(widened([state('a', 2)], [aSubset('a')], [-1])).toEqual([state('a', 2)]);
  });
});

describe('subsets by ordinal (8)', () => {
  const spread = aSpread([aSubset('a', 1), aSubset('b', 3), aSubset('c')]);
  it.each<[number, string | undefined]>([
    [-1, 'a'],
    [0, 'a'],
    [1, 'b'],
    [3, 'b'],
    [4, 'c'],
    [99, 'c'],
  ])('hold %d in %p', (ordinal, then) => {
    expect(subsetOfOrdinal(spread, [1, 3, -1], ordinal)?.name).toBe(then);
  });

  it('of a subset without a limit are as many as there can be', () => {
    const two = aSpread([aSubset('a'), aSubset('b')]);
    expect([2 ** 31 - 2, 2 ** 31 - 1].map((ordinal) => subsetOfOrdinal(two, [-1, -1], ordinal)?.name)).toEqual(['a', 'b']);
  });

  it('end where the limits do', () => {
    const two = aSpread([aSubset('a', 1), aSubset('b', 1)]);
    expect(subsetOfOrdinal(two, [1, 1], 2)).toBeUndefined();
  });

  it('skip one that is not schedulable, as all versions together say', () => {
    const now = aSpread(spread.spec.subsets, {}, { subsetStatuses: [state('a', 0, closed)] });
    expect(subsetOfOrdinal(now, [1, 3, -1], 0)?.name).toBe('b');
    expect(subsetOfOrdinal(now, [1, 3, -1], 3)?.name).toBe('c');
  });

  it.each([
    ['db-0', 0],
    ['db-12', 12],
    ['a-b-3', 3],
    ['db', -1],
    ['db-x', -1],
    ['db-1-x', -1],
    ['', -1],
  ])('%s has the ordinal %d', (name, then) => {
    expect(ordinalOf(name)).toBe(then);
  });

  it('are those of StatefulSets, of either group', () => {
    const of = (kind: string) => isSpreadByOrdinal(aSpread([], { targetRef: { apiVersion: 'apps/v1', kind, name: 'x' } }));
    expect([of('StatefulSet'), of('CloneSet')]).toEqual([true, false]);
  });
});

it('one subset that takes all is the only case in which nothing is ever counted', () => {
  const of = (...subsets: Parameters<typeof aSpread>[0]) => onlyOpenSubset(aSpread(subsets))?.name;
  expect([of(aSubset('a')), of(aSubset('a', 3)), of(aSubset('a'), aSubset('b')), of()]).toEqual(['a', undefined, undefined, undefined]);
  expect(of({ name: 'a', maxReplicas: null as never })).toBe('a');
});
