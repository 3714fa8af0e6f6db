import { describe, expect, it } from '@jest/globals';
import { instant, type Pod } from '@kruise/objects';
import { aPod, epoch } from '@kruise/testing';
import { causeOfPass, firstCauseOf, patienceEnds, withBlocking, type PodCause } from './blocked-condition.ts';
import type { BlockingCause } from './blocking-cause.ts';

const soon = instant(epoch + 5000);
const late = instant(epoch + 3_600_000);
const counters: {
  readonly replicas: number;
  readonly conditions?: readonly { type: string; status: string; lastTransitionTime?: string }[];
} = { replicas: 5 };

describe('the first cause of all', () => {
  const pods = ['a', 'b'].map((name) => aPod({ name }));
  const blames =
    (name: string, reason: BlockingCause['reason']): PodCause =>
    (pod) =>
      pod.metadata.name === name ? { reason, message: name } : undefined;

  it('is that of the first rule that finds one, for any Pod', () => {
    expect(firstCauseOf(pods, [blames('b', 'NodeLost'), blames('a', 'NotReady')])).toEqual({ reason: 'NodeLost', message: 'b' });
  });

  it('is that of the first Pod among those of one rule', () => {
    const all: PodCause = (pod) => ({ reason: 'NotReady', message: pod.metadata.name });
    expect(firstCauseOf(pods, [() => undefined, all])).toEqual({ reason: 'NotReady', message: 'a' });
  });

  it('is the one that the condition names already, as long as it is found', () => {
    const rules = [blames('b', 'NodeLost'), blames('a', 'NotReady')];
    expect(firstCauseOf(pods, rules, { reason: 'NotReady', message: 'a; delete it' })).toEqual({ reason: 'NotReady', message: 'a' });
    expect(firstCauseOf(pods, rules, { reason: 'NotReady', message: 'gone' })).toEqual({ reason: 'NotReady', message: 'a' });
    expect(firstCauseOf(pods, rules, { reason: 'Paused', message: 'c' })).toEqual({ reason: 'NodeLost', message: 'b' });
  });

  it('is undefined when no rule finds one, and without Pods', () => {
    expect([firstCauseOf(pods, [() => undefined]), firstCauseOf([], [blames('a', 'NotReady')])]).toEqual([undefined, undefined]);
  });

  it('names a refusal of the API server before all others', () => {
    const found: BlockingCause = { reason: 'Paused', message: 'the update is paused; 3 Pods wait for it' };
    expect(causeOfPass({}, found)).toBe(found);
    expect(causeOfPass({ update: { message: 'no' } }, found)).toEqual({ reason: 'UpdatingFails', message: 'Pods cannot be updated: no' });
    expect(causeOfPass({ scale: { message: 'exceeded quota: q' }, update: { message: 'no' } }, undefined)).toEqual({
      reason: 'ScalingFails',
      message: 'Pods cannot be created or deleted: exceeded quota: q',
    });
    expect(causeOfPass({ scale: { message: 'no' } }, found, 'children')?.message).toBe('children cannot be created or deleted: no');
    expect(causeOfPass({ update: { message: 'no' } }, found, 'children')?.message).toBe('children cannot be updated: no');
    expect(causeOfPass({ scale: { reason: 'QuotaExceeded', message: 'exceeded quota: q' } }, found)?.reason).toBe('QuotaExceeded');
  });
});

describe('the patience with several Pods', () => {
  const unready = (seconds: number): Pod => {
    const pod = aPod({ name: 'web-a', ready: false });
    const since = new Date(epoch - seconds * 1000).toISOString();
    return { ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: since }] } };
  };

  it.each([
    { name: 'ends with that of the first', ago: [10, 50, 20], then: 10_000 },
    { name: 'does not end again after it is over', ago: [90, 20], then: 40_000 },
    { name: 'is not awaited when it is over for all', ago: [60, 90], then: undefined },
    { name: 'is not awaited without Pods', ago: [], then: undefined },
  ])('$name', ({ ago, then }) => {
    expect(patienceEnds(ago.map(unready), epoch)).toBe(then);
  });
});

describe('the condition Blocked', () => {
  const cause: BlockingCause = { reason: 'Paused', message: 'the update is paused; 3 Pods wait for it' };
  const other = { type: 'FailedScale', status: 'True', message: 'no', lastTransitionTime: '2026-01-01T00:00:00Z' } as const;

  it('exists while there is a cause, keeps the others, and is removed with the cause', () => {
    const status = { ...counters, conditions: [other] };
    const shown = withBlocking(status, cause, epoch);
    expect(shown.conditions).toEqual([other, { type: 'Blocked', status: 'True', ...cause, lastTransitionTime: '2026-01-01T00:00:00Z' }]);
    expect(withBlocking(shown, undefined, soon)).toEqual(status);
    expect(withBlocking(withBlocking(counters, cause, epoch), undefined, soon)).toEqual(counters);
  });

  it('does not change while the cause stays the same, and changes its message with the cause', () => {
    const shown = withBlocking(counters, cause, epoch);
    expect(withBlocking(shown, cause, late)).toEqual(shown);
    expect(withBlocking(shown, { ...cause, message: 'another' }, late).conditions?.[0]).toMatchObject({
      message: 'another',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
  });
});
