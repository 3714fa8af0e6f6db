/** What allocation promises, over subsets of any kind. */
import { describe, expect, it } from '@jest/globals';
import { casesOf, Occurrences } from '@kruise/testing';
import fc from 'fast-check';
import { allocate } from './allocate.ts';
import type { AllocationMode, SubsetSeen } from './subset.ts';

const numRuns = casesOf(500);
const count = fc.nat({ max: 9 });

const child = fc.option(
  fc.record({ replicas: count, kept: count, reserved: count }).map(({ replicas, kept, reserved }) => ({
    replicas,
    kept: Math.min(kept, replicas),
    reserved: Math.min(reserved, replicas),
  })),
  { nil: undefined },
);

const facts = fc.record({ child, isUnschedulable: fc.boolean(), isMarked: fc.boolean() });
const elastic = fc
  .record({ facts, minReplicas: fc.option(count, { nil: undefined }), room: fc.option(count, { nil: undefined }) })
  .map(({ facts: own, minReplicas, room }) => ({
    ...own,
    minReplicas,
    maxReplicas: room === undefined ? undefined : (minReplicas ?? 0) + room,
  }));

const withNames = (list: readonly object[]): readonly SubsetSeen[] => list.map((one, at) => ({ name: `s${at}`, ...one }) as SubsetSeen);
const elasticSubsets = fc.array(elastic, { minLength: 1, maxLength: 6 }).map(withNames);
const evenSubsets = fc.array(facts, { minLength: 1, maxLength: 6 }).map(withNames);
const total = fc.nat({ max: 40 });

const replicasOf = (subsets: readonly SubsetSeen[], of: number, mode: AllocationMode): readonly number[] => {
  const allocation = allocate(subsets, of, mode);
  if (allocation.kind === 'Impossible') throw new Error(allocation.why);
  return allocation.replicas;
};
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const moves = (a: readonly number[], b: readonly number[]): number => sum(a.map((value, at) => Math.abs(value - (b[at] ?? 0))));
const settledAt = (subsets: readonly SubsetSeen[], replicas: readonly number[]): readonly SubsetSeen[] =>
  subsets.map((subset, at) => {
    const given = replicas[at] ?? 0;
    return { ...subset, child: { replicas: given, kept: given, reserved: 0 }, isUnschedulable: false, isMarked: false };
  });
const minOf = ({ minReplicas }: SubsetSeen): number => Number(minReplicas ?? 0);
const maxOf = ({ maxReplicas }: SubsetSeen): number => (maxReplicas === undefined ? Infinity : Number(maxReplicas));

function expectWithinLimits(subsets: readonly SubsetSeen[], given: readonly number[], of: number): void {
  const isEnough = of >= sum(subsets.map(minOf));
  given.forEach((value, at) => {
    expect(value).toBeLessThanOrEqual(maxOf(subsets[at] as SubsetSeen));
    expect(value).toBeGreaterThanOrEqual(isEnough ? minOf(subsets[at] as SubsetSeen) : 0);
  });
}

describe('an even spread', () => {
  it('gives all, as evenly as can be, and moves one Pod when one more is wanted', () => {
    fc.assert(
      fc.property(evenSubsets, total, (subsets, of) => {
        const given = replicasOf(subsets, of, 'Fixed');
        expect(sum(given)).toBe(of);
        expect(Math.max(...given) - Math.min(...given)).toBeLessThanOrEqual(1);
        const there = settledAt(subsets, given);
        expect(replicasOf(there, of, 'Fixed')).toEqual(given);
        expect(moves(given, replicasOf(there, of + 1, 'Fixed'))).toBe(1);
        if (of > 0) expect(moves(given, replicasOf(there, of - 1, 'Fixed'))).toBe(1);
      }),
      { numRuns },
    );
  });

  it('gives each name the same in any order of the subsets', () => {
    fc.assert(
      fc.property(
        evenSubsets.chain((subsets) => fc.tuple(fc.constant(subsets), fc.shuffledSubarray([...subsets], { minLength: subsets.length }))),
        total,
        ([subsets, shuffled], of) => {
          const byName = (list: readonly SubsetSeen[]): object => {
            const given = replicasOf(list, of, 'Fixed');
            return Object.fromEntries(list.map(({ name }, at) => [name, given[at]]));
          };
          expect(byName(shuffled)).toEqual(byName(subsets));
        },
      ),
      { numRuns },
    );
  });
});

describe('least and most', () => {
  it('the sum is right, the least is kept, the most never crossed, and one more moves one Pod', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(elasticSubsets, total, (all, of) => {
        const subsets = all.map((subset, at) => (at === 0 ? { ...subset, minReplicas: subset.minReplicas ?? 0 } : subset));
        const given = replicasOf(subsets, of, 'Fixed');
        const least = subsets.map(minOf);
        const most = subsets.map(maxOf);
        expect(sum(given)).toBe(Math.min(of, sum(most)));
        given.forEach((value, at) => expect(value).toBeLessThanOrEqual(most[at] ?? 0));
        const isEnough = of >= sum(least);
        if (isEnough) given.forEach((value, at) => expect(value).toBeGreaterThanOrEqual(least[at] ?? 0));
        expect(moves(given, replicasOf(subsets, of + 1, 'Fixed'))).toBeLessThanOrEqual(1);
        seen.note(isEnough ? 'enough' : 'short');
        seen.note('left over', sum(given) < of);
      }),
      { numRuns },
    );
    seen.expectAtLeast({ enough: 5, short: 5, 'left over': 1 });
  });
});

describe('mode Adaptive', () => {
  it('no subset exceeds its maxReplicas, one without nodes has at most its running Pods and minReplicas, and none loses running Pods to an earlier one', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(elasticSubsets, total, (subsets, of) => {
        const given = replicasOf(subsets, of, 'Adaptive');
        expect(sum(given)).toBeLessThanOrEqual(of);
        subsets.forEach((subset, at) => {
          const value = given[at] ?? 0;
          const place = subset.child?.kept ?? 0;
          const isShort = subset.isUnschedulable && subset.child !== undefined;
          seen.note('short', isShort);
          if (isShort) expect(value).toBeLessThanOrEqual(Math.max(place, minOf(subset)));
        });
        expectWithinLimits(subsets, given, of);
        const kept = subsets.map((subset) => Math.max(Math.min(subset.child?.kept ?? 0, maxOf(subset)), minOf(subset)));
        if (of >= sum(subsets.map((subset, at) => Math.max(kept[at] ?? 0, subset.child?.kept ?? 0)))) {
          seen.note('all that runs is kept');
          given.forEach((value, at) => expect(value).toBeGreaterThanOrEqual(kept[at] ?? 0));
        }
      }),
      { numRuns },
    );
    seen.expectAtLeast({ short: 5, 'all that runs is kept': 5 });
  });

  it('once all is ready one more moves one Pod', () => {
    fc.assert(
      fc.property(elasticSubsets, total, (all, of) => {
        const subsets = settledAt(
          all,
          replicasOf(
            all.map((one) => ({ ...one, isUnschedulable: false })),
            of,
            'Adaptive',
          ),
        );
        const given = replicasOf(subsets, of, 'Adaptive');
        expect(moves(given, replicasOf(subsets, of + 1, 'Adaptive'))).toBeLessThanOrEqual(1);
      }),
      { numRuns },
    );
  });
});

describe('mode Reservation', () => {
  it('with nodes for all it is the same as by limits; without, those that run come to the total as far as there is room', () => {
    const seen = new Occurrences();
    fc.assert(
      fc.property(elasticSubsets, total, (subsets, of) => {
        const free = subsets.map((subset) => ({ ...subset, isUnschedulable: false, isMarked: false }));
        expect(replicasOf(free, of, 'Reservation')).toEqual(
          replicasOf([{ ...free[0], minReplicas: free[0]?.minReplicas ?? 0 } as SubsetSeen, ...free.slice(1)], of, 'Fixed'),
        );
        const given = replicasOf(subsets, of, 'Reservation');
        expectWithinLimits(subsets, given, of);
        const last = subsets.at(-1);
        if (last !== undefined && !last.isUnschedulable && !last.isMarked && maxOf(last) === Infinity) {
          seen.note('room for all');
          expect(sum(given)).toBeGreaterThanOrEqual(of);
        }
        seen.note('substitutes', sum(given) > of);
      }),
      { numRuns },
    );
    seen.expectAtLeast({ 'room for all': 3, substitutes: 2 });
  });
});
