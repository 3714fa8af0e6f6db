import { describe, expect, it } from '@jest/globals';
import { formatTime, instant, seconds, type Pod } from '@kruise/objects';
import { type Mode, modeOf } from '../snapshot/modes.ts';
import { isMarked, judgeScheduling, withSchedulable, type SubsetStatus } from './schedulable.ts';
import type { Child } from '../snapshot/snapshot.ts';
import { adaptive, aUnited } from '../testing.ts';

const now = instant(1_700_000_000_000);
const ago = (length: number): string => formatTime(instant(now - seconds(length)));
const mode: Mode = { kind: 'Adaptive', critical: seconds(15), unschedulable: seconds(20) };
const marked = (age: number): SubsetStatus => ({
  name: 'a',
  conditions: [{ type: 'Schedulable', status: 'False', reason: 'reschedule', lastTransitionTime: ago(age) }],
});

const waiting = (age: number): Pod => ({
  metadata: { name: `p${age}`, creationTimestamp: ago(age) },
  spec: { containers: [] },
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
});
const childOf = (pods: readonly Pod[], readyReplicas = 0, replicas = pods.length): Child => ({
  subset: 'a',
  object: { metadata: { name: 'c' }, spec: { replicas }, status: { replicas, readyReplicas } },
  pods,
});

describe('a subset', () => {
  it.each<{ name: string; child: Child; held?: SubsetStatus; then: object }>([
    { name: 'of ready Pods', child: childOf([], 2, 2), then: { isUnschedulable: false, waits: [] } },
    { name: 'with a Pod that has not waited long', child: childOf([waiting(5)]), then: { isUnschedulable: false, waits: [10_000] } },
    {
      name: 'with a Pod that has waited too long',
      child: childOf([waiting(16), waiting(5)]),
      then: { isUnschedulable: true, condition: { status: 'False', reason: 'reschedule' }, waits: [10_000, 20_000] },
    },
    {
      name: 'whose Pods are all counted as ready is not looked at further',
      child: childOf([waiting(16)], 1, 1),
      then: { isUnschedulable: false, waits: [] },
    },
    {
      name: 'that was short of nodes a while ago',
      child: childOf([], 1, 1),
      held: marked(5),
      then: { isUnschedulable: true, waits: [15_000] },
    },
    {
      name: 'that was short of nodes long ago',
      child: childOf([], 1, 1),
      held: marked(20),
      then: { isUnschedulable: false, condition: { status: 'True', reason: 'recover' }, waits: [] },
    },
    {
      name: 'that is short of nodes, long since',
      child: childOf([waiting(60)]),
      held: marked(45),
      then: { isUnschedulable: true, condition: { status: 'False', reason: 'reschedule' }, waits: [20_000] },
    },
  ])('$name', ({ child, held, then }) => {
    const verdict = judgeScheduling(child, held, mode, now);
    expect(verdict).toMatchObject(then);
    expect('condition' in verdict).toBe('condition' in then);
  });
});

describe('the condition', () => {
  const next = { type: 'Schedulable', status: 'False', reason: 'reschedule', message: 'new' } as const;
  it('stays when status and reason do, whatever it says', () => {
    const { conditions } = marked(5);
    expect(withSchedulable(conditions, next, now)).toBe(conditions);
  });
  it('has a new time when only the reason changes', () => {
    const held = [{ type: 'Schedulable', status: 'False', reason: 'created', lastTransitionTime: ago(5) }] as const;
    expect(withSchedulable(held, next, now)).toEqual([{ ...next, lastTransitionTime: formatTime(now) }]);
  });
  it('marks a subset while it is False', () => {
    expect([isMarked(marked(1)), isMarked({ name: 'a' }), isMarked(undefined)]).toEqual([true, false, false]);
  });
});

it.each([
  { schedule: undefined, then: { kind: 'Fixed', critical: 30_000, unschedulable: 300_000 } },
  { schedule: { type: 'Fixed' as const }, then: { kind: 'Fixed' } },
  { schedule: { type: '' as const, adaptive: { reserveUnschedulablePods: true } }, then: { kind: 'Fixed' } },
  { schedule: { type: 'Adaptive' as const }, then: { kind: 'Adaptive', critical: 30_000, unschedulable: 300_000 } },
  { schedule: adaptive(), then: { kind: 'Adaptive', critical: 15_000, unschedulable: 20_000 } },
  { schedule: adaptive({ reserveUnschedulablePods: true }), then: { kind: 'Reservation' } },
  { schedule: adaptive({ rescheduleCriticalSeconds: -1, unschedulableDuration: -1 }), then: { critical: 0, unschedulable: 0 } },
])('schedule $schedule is mode $then', ({ schedule, then }) => {
  expect(modeOf(aUnited(schedule === undefined ? {} : { schedule }))).toMatchObject(then);
});
