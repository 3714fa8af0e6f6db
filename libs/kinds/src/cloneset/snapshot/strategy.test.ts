/** What the fields of a CloneSet come to, absent and illegal ones included. @see spec/cloneset.md 2.1, 5.4 */
import { describe, expect, it } from '@jest/globals';
import type { CloneSet } from '@kruise/api';
import {
  graceSecondsOf,
  isOnDelete,
  isPaused,
  legalPartitionOf,
  maxSurgeOf,
  maxUnavailableOf,
  minReadySecondsOf,
  partitionOf,
  podUpdatePolicyOf,
  priorityStrategyOf,
  replicasOf,
  reusesClaims,
  scaleMaxUnavailableOf,
  scatterStrategyOf,
} from './strategy.ts';
import { aCloneSet } from '../testing.ts';

type Rolling = object | undefined;

/** With exactly this `rollingUpdate`, or none. */
function rolling(replicas: number, rollingUpdate: Rolling): CloneSet {
  const cloneSet = aCloneSet({ replicas });
  const updateStrategy = { type: 'RollingUpdate', ...(rollingUpdate === undefined ? {} : { rollingUpdate }) };
  return { ...cloneSet, spec: { ...cloneSet.spec, updateStrategy } as CloneSet['spec'] };
}
const bare: CloneSet = { ...aCloneSet(), spec: { selector: {}, template: {} } };

describe('a partition in Pods', () => {
  it.each<[replicas: number, partition: unknown, pods: number, isLegal: boolean]>([
    [4, '99%', 3, true],
    [2, '99%', 1, true],
    [1, '99%', 1, true],
    [10, '1%', 1, true],
    [3, '33.4%', 2, true],
    [4, '120%', 4, true],
    [4, '100%', 4, true],
    [4, 0, 0, true],
    [4, 4, 4, true],
    [4, 5, 4, true],
    [4, -1, 0, true],
    [4, undefined, 0, true],
    [0, '50%', 0, true],
    [4, 'half', 0, false],
    [4, '2', 0, false],
  ])('of %i replicas, %p: %i', (replicas, partition, pods, isLegal) => {
    const cloneSet = rolling(replicas, partition === undefined ? {} : { partition });
    expect(partitionOf(cloneSet)).toBe(pods);
    expect(legalPartitionOf(cloneSet)).toBe(isLegal ? pods : undefined);
  });

  it('is none without rollingUpdate', () => {
    expect([partitionOf(rolling(4, undefined)), legalPartitionOf(rolling(4, undefined)), partitionOf(bare)]).toEqual([0, 0, 0]);
  });
});

describe('maxUnavailable and maxSurge in Pods', () => {
  it.each<{ name: string; replicas: number; given: Rolling; unavailable: number; surge: number }>([
    { name: 'a number is itself', replicas: 5, given: { maxUnavailable: 2, maxSurge: 1 }, unavailable: 2, surge: 1 },
    {
      name: 'a percentage of unavailable Pods rounds up without surge',
      replicas: 5,
      given: { maxUnavailable: '50%' },
      unavailable: 3,
      surge: 0,
    },
    { name: 'and down with surge', replicas: 5, given: { maxUnavailable: '50%', maxSurge: 1 }, unavailable: 2, surge: 1 },
    { name: 'a percentage of surge rounds up', replicas: 5, given: { maxUnavailable: 0, maxSurge: '30%' }, unavailable: 0, surge: 2 },
    {
      name: 'there is no surge while paused, so that a percentage rounds up',
      replicas: 5,
      given: { maxUnavailable: '50%', maxSurge: 3, paused: true },
      unavailable: 3,
      surge: 0,
    },
    { name: 'absent they are 20% rounded up, and 0', replicas: 6, given: {}, unavailable: 2, surge: 0 },
    { name: 'without rollingUpdate 20% rounded down, and 0', replicas: 6, given: undefined, unavailable: 1, surge: 0 },
    { name: 'without rollingUpdate at least 1', replicas: 4, given: undefined, unavailable: 1, surge: 0 },
    { name: 'fractions of a percent count', replicas: 3, given: { maxUnavailable: '33.4%', maxSurge: '33.4%' }, unavailable: 1, surge: 2 },
    { name: 'what cannot be read is 0', replicas: 5, given: { maxUnavailable: 'most', maxSurge: 'some' }, unavailable: 0, surge: 0 },
    { name: 'what is negative is 0', replicas: 5, given: { maxUnavailable: -1, maxSurge: -2 }, unavailable: 0, surge: 0 },
    { name: 'of no replicas they are 0', replicas: 0, given: { maxUnavailable: '50%', maxSurge: '50%' }, unavailable: 0, surge: 0 },
  ])('$name', ({ replicas, given, unavailable, surge }) => {
    const cloneSet = rolling(replicas, given);
    expect([maxUnavailableOf(cloneSet), maxSurgeOf(cloneSet)]).toEqual([unavailable, surge]);
  });
});

describe('scaleStrategy.maxUnavailable in Pods', () => {
  it.each<[value: unknown, pods: number]>([
    [2, 2],
    [0, 0],
    ['30%', 2],
    [undefined, Number.POSITIVE_INFINITY],
    ['many', Number.POSITIVE_INFINITY],
  ])('of 5 replicas, %p: %p', (value, pods) => {
    expect(scaleMaxUnavailableOf(aCloneSet({ replicas: 5, spec: { scaleStrategy: { maxUnavailable: value as number } } }))).toBe(pods);
  });
});

describe('a CloneSet that says nothing', () => {
  it('has one replica, no limits on scaling and the gentlest of everything', () => {
    expect({
      replicas: replicasOf(bare),
      minReadySeconds: minReadySecondsOf(bare),
      isPaused: isPaused(bare),
      isOnDelete: isOnDelete(bare),
      graceSeconds: graceSecondsOf(bare),
      reusesClaims: reusesClaims(bare),
      priority: priorityStrategyOf(bare),
      scatter: scatterStrategyOf(bare),
      policy: podUpdatePolicyOf(bare),
      scaleLimit: scaleMaxUnavailableOf(bare),
      graceWithoutStrategy: graceSecondsOf(rolling(1, {})),
    }).toEqual({
      replicas: 1,
      minReadySeconds: 0,
      isPaused: false,
      isOnDelete: false,
      graceSeconds: 0,
      reusesClaims: false,
      priority: undefined,
      scatter: undefined,
      policy: 'ReCreate',
      scaleLimit: Number.POSITIVE_INFINITY,
      graceWithoutStrategy: 0,
    });
  });
});

describe('a CloneSet that says something', () => {
  it('is taken at its word', () => {
    const orderPriority = [{ orderedKey: 'k' }];
    const scatterStrategy = [{ key: 'k', value: 'v' }];
    const rollingUpdate = {
      paused: true,
      priorityStrategy: { orderPriority },
      scatterStrategy,
      inPlaceUpdateStrategy: { gracePeriodSeconds: 7 },
    };
    const cloneSet = aCloneSet({ replicas: 3, rollingUpdate, spec: { minReadySeconds: 9, scaleStrategy: { enablePVCReuse: true } } });
    expect({
      replicas: replicasOf(cloneSet),
      minReadySeconds: minReadySecondsOf(cloneSet),
      isPaused: isPaused(cloneSet),
      isOnDelete: isOnDelete(cloneSet),
      graceSeconds: graceSecondsOf(cloneSet),
      reusesClaims: reusesClaims(cloneSet),
      priority: priorityStrategyOf(cloneSet),
      scatter: scatterStrategyOf(cloneSet),
    }).toEqual({
      replicas: 3,
      minReadySeconds: 9,
      isPaused: true,
      isOnDelete: false,
      graceSeconds: 7,
      reusesClaims: true,
      priority: { orderPriority },
      scatter: scatterStrategy,
    });
    expect(isOnDelete(aCloneSet({ type: 'OnDelete' }))).toBe(true);
    expect(replicasOf(aCloneSet({ replicas: 0 }))).toBe(0);
  });

  it.each<[given: unknown, policy: string]>([
    ['InPlaceIfPossible', 'InPlaceIfPossible'],
    ['InPlaceOnly', 'InPlaceOnly'],
    ['ReCreate', 'ReCreate'],
    ['', 'ReCreate'],
    ['Sideways', 'ReCreate'],
  ])('with the policy %p is updated by %s', (podUpdatePolicy, policy) => {
    expect(podUpdatePolicyOf(rolling(1, { podUpdatePolicy }))).toBe(policy);
  });
});
