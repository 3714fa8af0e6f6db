import { describe, expect, it } from '@jest/globals';
import { blockingOf } from './blocking.ts';
import type { ChildObject } from './snapshot/child-kinds.ts';
import type { Judged } from './children/judged.ts';
import type { ReserveVerdict } from './nodes/reserved.ts';

type ReportedConditions = NonNullable<ChildObject['status']>['conditions'];
const blocked = (reason: string, status = 'True') => ({ type: 'Blocked', status, reason, message: 'why' });
const failing = (message: string, status = 'True') => ({ type: 'ReplicaFailure', status, reason: 'FailedCreate', message });

const judged = (
  name: string,
  conditions: ReportedConditions,
  over: { observed?: number; verdict?: Partial<ReserveVerdict> } = {},
): Judged => ({
  subset: { name },
  child: {
    subset: name,
    pods: [],
    object: {
      metadata: { name, generation: 2 },
      status: { observedGeneration: over.observed ?? 2, ...(conditions === undefined ? {} : { conditions }) },
    },
  },
  held: undefined,
  verdict: over.verdict as ReserveVerdict | undefined,
});

describe('what children say of themselves', () => {
  it.each<{ name: string; given: readonly Judged[]; then: object | undefined }>([
    { name: 'nothing', given: [judged('a', undefined), judged('b', [])], then: undefined },
    {
      name: 'the first of them',
      given: [judged('a', []), judged('b', [blocked('NotReady')]), judged('c', [blocked('Paused')])],
      then: { reason: 'NotReady', message: 'subset b: why' },
    },
    { name: 'what is over', given: [judged('a', [blocked('NotReady', 'False')]), judged('b', [failing('x', 'False')])], then: undefined },
    { name: 'what was said of another spec', given: [judged('a', [blocked('NotReady')], { observed: 1 })], then: undefined },
    {
      name: 'a quota of Pods',
      given: [judged('a', [failing('exceeded quota: q')])],
      then: { reason: 'QuotaExceeded', message: 'subset a: exceeded quota: q' },
    },
    { name: 'other words', given: [judged('a', [failing('no')])], then: { reason: 'ScalingFails', message: 'subset a: no' } },
    { name: 'both', given: [judged('a', [failing('no'), blocked('Paused')])], then: { reason: 'Paused', message: 'subset a: why' } },
    {
      name: 'no words at all',
      given: [judged('a', [{ type: 'ReplicaFailure', status: 'True' }])],
      then: { reason: 'ScalingFails', message: 'subset a: ' },
    },
    { name: 'no reason', given: [judged('a', [{ type: 'Blocked', status: 'True' }])], then: { reason: 'NotReady', message: 'subset a: ' } },
    { name: 'other conditions', given: [judged('a', [{ type: 'Progressing', status: 'True' }])], then: undefined },
  ])('$name', ({ given, then }) => {
    expect(blockingOf(given)).toEqual(then);
  });

  it('missing nodes are handled by substitutes, and are reported if there are none, or for another cause', () => {
    const reserving = { isUnschedulable: true, reserved: 1 };
    const of = (reason: string, verdict: Partial<ReserveVerdict> | undefined): string | undefined =>
      blockingOf([judged('a', [blocked(reason)], verdict === undefined ? {} : { verdict })])?.reason;
    expect(of('Unschedulable', reserving)).toBeUndefined();
    expect(of('Unschedulable', { ...reserving, isUnschedulable: false })).toBe('Unschedulable');
    expect(of('Unschedulable', { isUnschedulable: true })).toBe('Unschedulable');
    expect(of('Unschedulable', undefined)).toBe('Unschedulable');
    expect(of('NotReady', reserving)).toBe('NotReady');
  });

  it('a subset without a child says nothing', () => {
    expect(blockingOf([{ subset: { name: 'a' }, child: undefined, held: undefined, verdict: undefined }])).toBeUndefined();
  });
});
