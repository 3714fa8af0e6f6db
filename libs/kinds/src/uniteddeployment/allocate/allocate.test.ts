import { describe, expect, it } from '@jest/globals';
import { allocate } from './allocate.ts';
import type { AllocationMode, SubsetSeen } from './subset.ts';

interface Given extends Partial<Omit<SubsetSeen, 'child'>> {
  /** Replicas, those that have a place, and reserved Pods of the child; 0 for those omitted, and no child when it is absent. */
  readonly child?: readonly [replicas: number, kept?: number, reserved?: number];
}

const subsets = (given: readonly Given[]): readonly SubsetSeen[] =>
  given.map(({ child, ...rest }, at) => ({
    name: String.fromCharCode(97 + at),
    isUnschedulable: false,
    isMarked: false,
    ...rest,
    ...(child === undefined ? {} : { child: { replicas: child[0], kept: child[1] ?? child[0], reserved: child[2] ?? 0 } }),
  }));

interface Case {
  readonly name: string;
  readonly total: number;
  readonly mode?: AllocationMode;
  readonly given: readonly Given[];
  readonly then: readonly number[] | string;
}

/** The same cases in another mode. */
const inMode = (mode: AllocationMode, cases: readonly Case[]): readonly Case[] => cases.map((one) => ({ ...one, mode }));

const run = ({ given, total, mode = 'Fixed', then }: Case): void => {
  const allocation = allocate(subsets(given), total, mode);
  if (typeof then === 'string') expect(allocation).toMatchObject({ kind: 'Impossible', why: expect.stringContaining(then) });
  else expect(allocation).toEqual({ kind: 'Allocated', replicas: then });
};

describe('fixed shares, and an even spread of the rest', () => {
  it.each<Case>([
    {
      name: 'a number, a percentage, and what is left (scenario 1)',
      total: 6,
      given: [{ replicas: 1 }, { replicas: '50%' }, {}],
      then: [1, 3, 2],
    },
    { name: 'of 5 (scenario 2)', total: 5, given: [{ replicas: '20%' }, { replicas: '40%' }, {}], then: [1, 2, 2] },
    { name: 'of 8: half rounds up', total: 8, given: [{ replicas: '20%' }, { replicas: '40%' }, {}], then: [2, 3, 3] },
    { name: 'of 2', total: 2, given: [{ replicas: '20%' }, { replicas: '40%' }, {}], then: [0, 1, 1] },
    {
      name: 'the remainder goes to those that have most, and of equal ones to the greater name',
      total: 6,
      given: [{ child: [1] }, { child: [4] }, { child: [2] }, { child: [2] }],
      then: [1, 2, 1, 2],
    },
    { name: 'nothing is there yet: the last names get one more', total: 5, given: [{}, {}, {}], then: [1, 2, 2] },
    { name: 'all shares come to the total', total: 3, given: [{ replicas: 1 }, { replicas: 2 }], then: [1, 2] },
    { name: 'no subset, and no Pod', total: 0, given: [], then: [] },
    { name: 'more than the total', total: 1, given: [{ replicas: 1 }, { replicas: 1 }, {}], then: 'is 2, more than spec.replicas 1' },
    {
      name: 'less than the total, and no subset for the rest',
      total: 4,
      given: [{ replicas: 1 }, { replicas: 2 }],
      then: 'a sum of 3, less than',
    },
    { name: 'no number', total: 4, given: [{ replicas: 'x' }, {}], then: 'replicas "x" of subset a' },
    { name: 'a percentage above all', total: 4, given: [{ replicas: '101%' }, {}], then: 'replicas "101%" of subset a' },
    { name: 'a percentage in fractions', total: 4, given: [{ replicas: '1.5%' }, {}], then: 'replicas "1.5%" of subset a' },
    { name: 'a negative number', total: 4, given: [{ replicas: -1 }, {}], then: 'replicas -1 of subset a' },
  ])('$name', run);
});

describe('least and most', () => {
  const scenario3 = [{ minReplicas: 2, maxReplicas: 3 }, { minReplicas: 1, maxReplicas: 2 }, { minReplicas: 1 }];
  const two = { minReplicas: 2, maxReplicas: 4 };
  it.each<Case>([
    { name: 'minReplicas of all (scenario 3)', total: 4, given: scenario3, then: [2, 1, 1] },
    { name: 'the most of the first, then of the next', total: 9, given: scenario3, then: [3, 2, 4] },
    { name: 'not enough for minReplicas of all', total: 2, given: scenario3, then: [2, 0, 0] },
    { name: '12 over 2-4, 2-4, 2-4, 2-∞', total: 12, given: [two, two, two, { minReplicas: 2 }], then: [4, 4, 2, 2] },
    { name: '5 over the same', total: 5, given: [two, two, two, { minReplicas: 2 }], then: [2, 2, 1, 0] },
    { name: 'percentages are of the total', total: 10, given: [{ minReplicas: '15%', maxReplicas: '50%' }, {}], then: [5, 5] },
    { name: 'what is beyond the most of all is left over', total: 9, given: [{ maxReplicas: 2 }, { maxReplicas: 3 }], then: [2, 3] },
    { name: 'more at least than at most', total: 9, given: [{ minReplicas: 3, maxReplicas: 2 }, {}], then: 'at least 3 and at most 2' },
    { name: 'no number at least', total: 9, given: [{ minReplicas: 'x' }, {}], then: 'minReplicas "x" of subset a' },
    { name: 'no number at most', total: 9, given: [{ maxReplicas: 'x' }, {}], then: 'maxReplicas "x" of subset a' },
  ])('$name', run);
});

describe('mode Adaptive', () => {
  const short = { isUnschedulable: true };
  it.each<Case>(
    inMode('Adaptive', [
      {
        name: 'a subset without nodes gets none but what it has ready (scenario 9)',
        total: 5,
        given: [{ maxReplicas: 3, child: [3] }, { maxReplicas: 1, child: [1, 0], ...short }, { child: [1] }],
        then: [3, 0, 2],
      },
      {
        name: 'the same of 6',
        total: 6,
        given: [{ maxReplicas: 3, child: [3] }, { maxReplicas: 1, child: [0, 0], ...short }, { child: [2] }],
        then: [3, 0, 3],
      },
      {
        name: 'its least stays with it, though it waits (scenario 10)',
        total: 5,
        given: [{ minReplicas: 2, child: [5, 0], ...short }, {}],
        then: [2, 3],
      },
      {
        name: 'what runs stays where it is, whatever the order',
        total: 5,
        given: [{ child: [0] }, { child: [3] }, { child: [2] }],
        then: [0, 3, 2],
      },
      { name: 'but not beyond the most', total: 5, given: [{ child: [0] }, { maxReplicas: 2, child: [4] }], then: [3, 2] },
      {
        name: 'nor at the cost of minReplicas of another',
        total: 3,
        given: [{ child: [3] }, { minReplicas: 2, child: [2] }],
        then: [1, 2],
      },
      {
        name: 'nor at the cost of minReplicas of one without nodes',
        total: 3,
        given: [{ child: [3] }, { minReplicas: 2, child: [2, 0], ...short }],
        then: [1, 2],
      },
      {
        name: 'a subset without nodes keeps its running Pods, but not beyond maxReplicas',
        total: 5,
        given: [{ maxReplicas: 1, child: [3, 3], ...short }, {}],
        then: [1, 4],
      },
      { name: 'a subset without a child takes Pods', total: 5, given: [{ child: [3, 1], ...short }, {}], then: [1, 4] },
      { name: 'limits without sense', total: 5, given: [{ minReplicas: 3, maxReplicas: 2 }], then: 'at least 3' },
    ]),
  )('$name', run);
});

describe('mode Reservation', () => {
  const short = { isUnschedulable: true, isMarked: true };
  it.each<Case>(
    inMode('Reservation', [
      { name: 'all where there are nodes', total: 3, given: [{}, {}, {}], then: [3, 0, 0] },
      {
        name: 'three are reserved: the next subset runs substitutes',
        total: 3,
        given: [{ child: [3, 0, 3], ...short }, { child: [0] }, { child: [0] }],
        then: [3, 3, 0],
      },
      {
        name: 'the substitutes are reserved, too (scenario 11)',
        total: 3,
        given: [{ child: [3, 0, 3], ...short }, { child: [3, 0, 3], ...short }, { child: [0] }],
        then: [3, 3, 3],
      },
      {
        name: 'two more',
        total: 5,
        given: [{ child: [3, 0, 3], ...short }, { child: [3, 0, 3], ...short }, { child: [3] }],
        then: [3, 3, 5],
      },
      {
        name: 'the second subset has nodes again: what it gets beyond its Pods is substituted until it runs',
        total: 5,
        given: [{ child: [3, 0, 3], ...short }, { child: [3], isMarked: true }, { child: [5] }],
        then: [3, 5, 2],
      },
      { name: 'and runs', total: 5, given: [{ child: [3, 0, 3], ...short }, { child: [5] }, { child: [2] }], then: [3, 5, 0] },
      {
        name: 'all have nodes again (scenario 12)',
        total: 3,
        given: [{ child: [3], isMarked: true }, { child: [3, 0, 3], ...short }, { child: [3] }],
        then: [3, 0, 0],
      },
      { name: 'none', total: 0, given: [{ child: [3, 0, 3], ...short }, {}], then: [0, 0] },
      {
        name: 'a subset without nodes keeps none beyond maxReplicas',
        total: 3,
        given: [{ maxReplicas: 1, child: [3, 0, 3], ...short }, {}],
        then: [1, 3],
      },
      {
        name: 'nor less than minReplicas',
        total: 3,
        given: [{ minReplicas: 2, child: [1, 0, 1], ...short }, {}],
        then: [2, 3],
      },
      { name: 'minReplicas of all first', total: 3, given: [{}, { minReplicas: 1 }], then: [2, 1] },
      { name: 'limits without sense', total: 5, given: [{ minReplicas: 3, maxReplicas: 2 }], then: 'at least 3' },
    ]),
  )('$name', run);
});

it.each<AllocationMode>(['Fixed', 'Adaptive', 'Reservation'])('without a subset there is no place for Pods (%s)', (mode) => {
  run({ name: mode, mode, total: 3, given: [], then: 'no subset in spec.topology.subsets for the 3 Pods' });
});
