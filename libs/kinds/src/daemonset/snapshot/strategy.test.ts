/** What the rules read of a spec, with members absent, wrong or left over. @see spec/daemonset.md 2.1, 5.6 step 2 */
import { describe, expect, it } from '@jest/globals';
import type { DaemonSet } from '@kruise/api';
import {
  allowsSurge,
  burstFaultOf,
  burstOf,
  isInPlace,
  isOnDelete,
  isPartitionedScaling,
  isPaused,
  minReadySecondsOf,
  partitionOf,
  podUpdatePolicyOf,
  updatedNodesOf,
  updateLimitsOf,
} from './strategy.ts';
import { aDaemonSet } from '../testing.ts';

const withStrategy = (updateStrategy: unknown): DaemonSet => {
  const set = aDaemonSet();
  return { ...set, spec: { ...set.spec, updateStrategy } as DaemonSet['spec'] };
};
const rolling = (rollingUpdate: unknown): DaemonSet => withStrategy({ type: 'RollingUpdate', rollingUpdate });
/** As a user leaves it who changes only the type. */
const onDelete = (rollingUpdate: unknown): DaemonSet => withStrategy({ type: 'OnDelete', rollingUpdate });

describe('how many nodes an update may take at a time', () => {
  it.each<[name: string, given: object | null | undefined, desired: number, maxUnavailable: number, maxSurge: number]>([
    ['as given', { maxUnavailable: 2, maxSurge: 0 }, 10, 2, 0],
    ['maxUnavailable is a percentage of the nodes that are to run the Pod, rounded up', { maxUnavailable: '11%' }, 10, 2, 0],
    ['maxSurge is a percentage rounded up', { maxSurge: '11%', maxUnavailable: 0 }, 10, 0, 2],
    ['an absent maxUnavailable beside maxSurge is 0', { maxSurge: 1 }, 10, 0, 1],
    ['an absent maxSurge is 0', { maxUnavailable: 3 }, 10, 3, 0],
    ['both 0 leave one', { maxUnavailable: 0, maxSurge: 0 }, 1, 1, 0],
    ['neither given leaves one', {}, 10, 1, 0],
    ['without rollingUpdate it is one', undefined, 10, 1, 0],
    ['null for rollingUpdate is the same', null, 10, 1, 0],
    ['null for the members is the same', { maxUnavailable: null, maxSurge: null }, 10, 1, 0],
    ['without a node it is none', {}, 0, 0, 0],
    ['what is no number counts as 0', { maxUnavailable: 'most', maxSurge: {} }, 10, 1, 0],
    ['a percentage with a fraction is none', { maxUnavailable: '33.4%' }, 10, 1, 0],
    ['a negative number counts as 0', { maxUnavailable: -2, maxSurge: 2 }, 10, 0, 2],
    ['more than there are nodes stays what it is', { maxUnavailable: 20 }, 10, 20, 0],
  ])('%s', (_name, given, desired, ...[maxUnavailable, maxSurge]) => {
    expect(updateLimitsOf(rolling(given), desired)).toEqual({ maxUnavailable, maxSurge });
  });

  it.each<[string, DaemonSet, boolean]>([
    ['a number', rolling({ maxSurge: 1 }), true],
    ['0', rolling({ maxSurge: 0 }), false],
    ['nothing', rolling({ maxUnavailable: 1 }), false],
    ['the least percentage', rolling({ maxSurge: '1%' }), true],
    ['0%', rolling({ maxSurge: '0%' }), false],
    ['no rollingUpdate', rolling(undefined), false],
    ['OnDelete, where it is left over', onDelete({ maxSurge: 1 }), false],
  ])('whether a new Pod may run beside the old one, with %s for maxSurge', (_name, set, expected) => {
    expect(allowsSurge(set)).toBe(expected);
  });
});

describe('how many nodes keep older revisions', () => {
  it.each<[name: string, set: DaemonSet, desired: number, expected: number]>([
    ['a number', rolling({ partition: 7 }), 10, 7],
    ['none when absent', rolling({}), 10, 0],
    ['none without rollingUpdate', rolling(undefined), 10, 0],
    ['a percentage of the nodes that are to run the Pod, rounded down', rolling({ partition: '59%' }), 10, 5],
    ['all', rolling({ partition: '100%' }), 10, 10],
    ['none for what cannot be read', rolling({ partition: 'half' }), 10, 0],
    ['none for a negative number', rolling({ partition: -1 }), 10, 0],
    ['none with OnDelete, where it is left over', onDelete({ partition: 7 }), 10, 0],
  ])('%s', (_name, set, ...[desired, expected]) => {
    expect(partitionOf(set, desired)).toBe(expected);
  });
});

describe('how many Pods a pass touches at most', () => {
  const bursting = (burstReplicas: unknown): DaemonSet => aDaemonSet({ spec: { burstReplicas } as Partial<DaemonSet['spec']> });
  const fault = (value: string) =>
    `spec.burstReplicas: Invalid value: ${value}: must be an integer or a whole percentage (e.g. 1 or "20%"); it counts as 0`;
  it.each<[name: string, value: unknown, expected: number, fault: string | undefined]>([
    ['a number', 5, 5, undefined],
    ['250 when absent', undefined, 250, undefined],
    ['250 for null', null, 250, undefined],
    ['a percentage of the nodes that are to run the Pod, rounded down', '19%', 1, undefined],
    ['none for a percentage of too few', '9%', 0, undefined],
    ['none for 0', 0, 0, undefined],
    ['none for a negative number', -1, 0, undefined],
    ['none for what cannot be read, which is told', 'many', 0, fault('"many"')],
    ['none for a number as a text, which is told', '5', 0, fault('"5"')],
  ])('%s', (_name, value, expected, reported) => {
    expect([burstOf(bursting(value), 10), burstFaultOf(bursting(value))]).toEqual([expected, reported]);
  });

  it('none for half a Pod, which is reported', () => {
    expect([burstOf(bursting(1.5), 10), burstFaultOf(bursting(1.5))]).toEqual([
      0,
      'spec.burstReplicas: Invalid value: 1.5: must be an integer or a percentage (e.g. 1 or "20%"); it counts as 0',
    ]);
  });
});

describe('which nodes are updated', () => {
  const canary = { matchLabels: { tier: 'canary' } };
  const matches = (set: DaemonSet): readonly boolean[] | undefined => {
    const matcher = updatedNodesOf(set);
    return matcher && [{ tier: 'canary' }, {}, undefined].map((labels) => matcher.matches(labels));
  };
  it.each<[string, DaemonSet, readonly boolean[] | undefined]>([
    ['those that the selector matches', rolling({ selector: canary }), [true, false, false]],
    ['all without a selector', rolling({}), undefined],
    ['all for null', rolling({ selector: null }), undefined],
    ['all for an empty one', rolling({ selector: {} }), [true, true, true]],
    ['none for one that cannot be read', rolling({ selector: { matchLabels: 5 } }), [false, false, false]],
    ['no matter with OnDelete, where it is left over', onDelete({ selector: canary }), undefined],
  ])('%s', (_name, set, expected) => {
    expect(matches(set)).toEqual(expected);
  });
});

describe('the strategy', () => {
  const inPlace = { rollingUpdateType: 'InPlaceIfPossible' };
  it.each<[name: string, set: DaemonSet, onDelete: boolean, policy: string]>([
    ['Standard makes Pods anew', rolling({ rollingUpdateType: 'Standard' }), false, 'ReCreate'],
    ['InPlaceIfPossible changes them where that is possible', rolling(inPlace), false, 'InPlaceIfPossible'],
    ['an absent type of a rolling update is Standard', rolling({}), false, 'ReCreate'],
    ['an absent type of strategy is RollingUpdate', withStrategy({ rollingUpdate: inPlace }), false, 'InPlaceIfPossible'],
    ['an absent strategy is a Standard one', withStrategy(undefined), false, 'ReCreate'],
    ['a strategy that is no object is a Standard one', withStrategy('text'), false, 'ReCreate'],
    ['OnDelete makes Pods anew, whatever is left over', onDelete(inPlace), true, 'ReCreate'],
  ])('%s', (_name, set, ...[expected, policy]) => {
    expect([isOnDelete(set), podUpdatePolicyOf(set), isInPlace(set)]).toEqual([expected, policy, policy === 'InPlaceIfPossible']);
  });

  it.each<[unknown, boolean]>([
    [true, true],
    [false, false],
    [undefined, false],
    ['true', false],
  ])('%p for paused: %s', (paused, expected) => {
    expect(isPaused(rolling({ paused }))).toBe(expected);
  });

  it('is not paused without rollingUpdate', () => {
    expect(isPaused(rolling(undefined))).toBe(false);
  });

  it('minReadySeconds are 0 when absent', () => {
    expect([minReadySecondsOf(aDaemonSet()), minReadySecondsOf(aDaemonSet({ spec: { minReadySeconds: 5 } }))]).toEqual([0, 5]);
  });

  it('creation is limited by the partition only where this is requested', () => {
    const asked = (partitionedScaling?: boolean): boolean =>
      isPartitionedScaling(aDaemonSet({ spec: { scaleStrategy: partitionedScaling === undefined ? {} : { partitionedScaling } } }));
    expect([asked(true), asked(false), asked(), isPartitionedScaling(aDaemonSet())]).toEqual([true, false, false, false]);
  });
});
