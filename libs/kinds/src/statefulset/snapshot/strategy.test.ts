/** Fields of a StatefulSet that went past admission, or were never filled in. @see spec/statefulset.md 2.1, 5.2 */
import { describe, expect, it } from '@jest/globals';
import { defaultGates, type StatefulSet } from '@kruise/api';
import {
  claimTemplatesOf,
  graceSecondsOf,
  isMonotonic,
  isOnDelete,
  isPaused,
  isRollingUpdate,
  isUnordered,
  maxUnavailableOf,
  minReadySecondsOf,
  partitionOf,
  podUpdatePolicyOf,
  replicasOf,
  resizesClaims,
  scaleLimitOf,
  slotsOf,
} from './strategy.ts';

const bare: StatefulSet = { metadata: { name: 'web' }, spec: { selector: {}, template: {} } };
const having = (spec: object): StatefulSet => ({ ...bare, spec: { ...bare.spec, ...spec } });
const rolling = (rollingUpdate: object, spec: object = {}): StatefulSet => having({ ...spec, updateStrategy: { rollingUpdate } });

describe('what is not said', () => {
  it('is one Pod at a time, recreated, none kept back', () => {
    expect({
      replicas: replicasOf(bare),
      monotonic: isMonotonic(bare),
      onDelete: isOnDelete(bare),
      rollingUpdate: isRollingUpdate(bare),
      paused: isPaused(bare),
      unordered: isUnordered(bare),
      minReady: minReadySecondsOf(bare),
      grace: graceSecondsOf(bare),
      partition: partitionOf(bare),
      claims: claimTemplatesOf(bare),
      policy: podUpdatePolicyOf(bare),
      maxUnavailable: maxUnavailableOf(bare),
      scaleLimit: scaleLimitOf(bare),
      slots: [...slotsOf(bare, defaultGates)],
    }).toEqual({
      replicas: 1,
      monotonic: true,
      onDelete: false,
      rollingUpdate: false,
      paused: false,
      unordered: false,
      minReady: 0,
      grace: 0,
      partition: 0,
      claims: [],
      policy: 'ReCreate',
      maxUnavailable: 1,
      scaleLimit: Number.POSITIVE_INFINITY,
      slots: [0],
    });
  });

  it('is the same as null', () => {
    const set = rolling(
      { unorderedUpdate: null, maxUnavailable: null },
      { scaleStrategy: { maxUnavailable: null }, volumeClaimTemplates: null },
    );
    expect([isUnordered(set), maxUnavailableOf(set), scaleLimitOf(set), claimTemplatesOf(set)]).toEqual([
      false,
      1,
      Number.POSITIVE_INFINITY,
      [],
    ]);
  });
});

describe('limits', () => {
  it.each<{ value: unknown; replicas: number; then: number }>([
    { value: 3, replicas: 10, then: 3 },
    { value: 0, replicas: 10, then: 1 },
    { value: '25%', replicas: 10, then: 2 },
    { value: '1%', replicas: 10, then: 1 },
    { value: '150%', replicas: 2, then: 3 },
  ])('$value of $replicas comes to $then', ({ value, replicas, then }) => {
    expect(maxUnavailableOf(rolling({ maxUnavailable: value }, { replicas }))).toBe(then);
    expect(scaleLimitOf(having({ replicas, scaleStrategy: { maxUnavailable: value } }))).toBe(then);
  });

  it('that cannot be read are 1 for updates, and none for creating Pods', () => {
    expect(maxUnavailableOf(rolling({ maxUnavailable: 'some' }))).toBe(1);
    expect(scaleLimitOf(having({ scaleStrategy: { maxUnavailable: 'some' } }))).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('policies', () => {
  it.each(['InPlaceIfPossible', 'InPlaceOnly', 'ReCreate'] as const)('%s is accepted unchanged', (podUpdatePolicy) => {
    expect(podUpdatePolicyOf(rolling({ podUpdatePolicy }))).toBe(podUpdatePolicy);
  });

  it('that are unknown recreate Pods', () => {
    expect(podUpdatePolicyOf(rolling({ podUpdatePolicy: 'Never' }))).toBe('ReCreate');
  });

  it('of claims need gate and strategy', () => {
    const on = { StatefulSetAutoResizePVCGate: true };
    const resizing = having({ volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } });
    expect([
      resizesClaims(resizing, on),
      resizesClaims(resizing, { StatefulSetAutoResizePVCGate: false }),
      resizesClaims(bare, on),
    ]).toEqual([true, false, false]);
  });
});

describe('slots', () => {
  const moved = having({ replicas: 2, ordinals: { start: 3 } });
  it('begin at the start ordinal with its gate alone, and never below 0', () => {
    expect([...slotsOf(moved, { StatefulSetStartOrdinal: true })]).toEqual([3, 4]);
    expect([...slotsOf(moved, { StatefulSetStartOrdinal: false })]).toEqual([0, 1]);
    expect([...slotsOf(having({ ordinals: { start: -3 } }), { StatefulSetStartOrdinal: true })]).toEqual([0]);
    expect([...slotsOf(bare, { StatefulSetStartOrdinal: true })]).toEqual([0]);
  });

  it('skip what is reserved, whatever cannot be read beside it, each time that they are requested', () => {
    const set = having({ replicas: 2, reserveOrdinals: [0, 'x', '2-3'] });
    expect([...slotsOf(set, defaultGates)]).toEqual([1, 4]);
    expect([...slotsOf(set, defaultGates)]).toEqual([1, 4]);
    expect([...slotsOf(having({ replicas: 2, reserveOrdinals: null }), defaultGates)]).toEqual([0, 1]);
  });
});
