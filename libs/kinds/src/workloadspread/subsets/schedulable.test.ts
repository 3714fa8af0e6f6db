import { describe, expect, it } from '@jest/globals';
import type { MetaCondition } from '@kruise/api';
import { milliseconds, seconds } from '@kruise/objects';
import { criticalTime, isUnschedulable, schedulabilityOf } from './schedulable.ts';
import { aSpread, aSpreadPod, later, timeOf, unschedulable } from '../testing.ts';

const condition = (status: 'True' | 'False', at: number): MetaCondition => ({
  type: 'Schedulable',
  status,
  reason: status === 'True' ? 'Sufficient' : 'PodUnschedulable',
  message: '',
  lastTransitionTime: timeOf(at),
});
const other: MetaCondition = { ...condition('True', 0), type: 'Other' };
const pending = unschedulable(aSpreadPod({ name: 'x', node: '' }));
const running = aSpreadPod({ name: 'y' });
const critical = seconds(8);

describe('whether a subset is schedulable', () => {
  it('is not said where Pods stay where they are (10)', () => {
    const seen = schedulabilityOf({ pods: [pending], conditions: [other, condition('False', 0)], isLast: false }, undefined, later(60_000));
    expect(seen).toEqual({ conditions: [other], failed: [], recovered: false, requeueAfter: [] });
  });

  it('is always so of the last one, whose Pods are never moved on', () => {
    const seen = schedulabilityOf({ pods: [pending], conditions: undefined, isLast: true }, critical, later(60_000));
    expect(seen).toEqual({ conditions: [condition('True', 60_000)], failed: [], recovered: false, requeueAfter: [] });
  });

  it.each<{ name: string; pods: readonly (typeof pending)[]; held: readonly MetaCondition[] | undefined; at: number; then: object }>([
    {
      name: 'so from the start',
      pods: [running],
      held: undefined,
      at: 0,
      then: { conditions: [condition('True', 0)], failed: [], requeueAfter: [] },
    },
    {
      name: 'so while a Pod may still find a node',
      pods: [pending],
      held: undefined,
      at: 3000,
      then: { conditions: [condition('True', 3000)], requeueAfter: [5000] },
    },
    {
      name: 'not so once one has waited for too long',
      pods: [pending, running],
      held: [condition('True', 0)],
      at: 8001,
      then: { conditions: [condition('False', 8000)], failed: [pending], requeueAfter: [299_999] },
    },
    {
      name: 'not so since the first of them',
      pods: [pending],
      held: [condition('False', 8000)],
      at: 20_000,
      then: { conditions: [condition('False', 8000)], failed: [pending], requeueAfter: [288_000] },
    },
    {
      name: 'not so for 300 s, though none waits any more',
      pods: [],
      held: [condition('False', 0)],
      at: 299_999,
      then: { conditions: [condition('False', 0)], failed: [], recovered: false, requeueAfter: [1] },
    },
    {
      name: 'so again after them, which is reported',
      pods: [],
      held: [condition('False', 0)],
      at: 300_000,
      then: { conditions: [condition('True', 300_000)], recovered: true, requeueAfter: [] },
    },
    {
      name: 'not so while Pods wait, however long that has been said',
      pods: [pending],
      held: [condition('False', 0)],
      at: 300_000,
      then: { conditions: [condition('False', 0)], failed: [pending], recovered: false, requeueAfter: [] },
    },
    {
      name: 'so again when the time of the change is unknown',
      pods: [],
      held: [{ ...condition('False', 0), lastTransitionTime: 'noon' }],
      at: 9000,
      then: { conditions: [condition('True', 9000)], recovered: true, requeueAfter: [] },
    },
    {
      name: 'not so until then, while another Pod waits',
      pods: [unschedulable(aSpreadPod({ name: 'z', node: '', createdAt: later(100_000) }))],
      held: [condition('False', 0)],
      at: 101_000,
      then: { conditions: [condition('False', 0)], failed: [], recovered: false, requeueAfter: [7000, 199_000] },
    },
    {
      name: 'so without a new time',
      pods: [],
      held: [condition('True', 0)],
      at: 9000,
      then: { conditions: [condition('True', 0)], recovered: false },
    },
  ])('is $name', ({ pods, held, at, then }) => {
    expect(schedulabilityOf({ pods, conditions: held, isLast: false }, critical, later(at))).toMatchObject(then);
  });

  it('is shown by the condition, and so without one', () => {
    expect([isUnschedulable([condition('False', 0)]), isUnschedulable([condition('True', 0)]), isUnschedulable(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the time that a Pod may wait for a node', () => {
  it.each<[string | undefined, number | undefined, number | undefined]>([
    ['Adaptive', 8, 8000],
    ['Adaptive', 0, undefined],
    ['Adaptive', undefined, undefined],
    ['Fixed', 8, undefined],
    ['', 8, undefined],
    [undefined, undefined, undefined],
  ])('of the type %p with %p s is %p', (type, seconds, then) => {
    const adaptive = seconds === undefined ? {} : { adaptive: { rescheduleCriticalSeconds: seconds } };
    const scheduleStrategy = { ...(type === undefined ? {} : { type }), ...adaptive } as never;
    expect(criticalTime(aSpread([], { scheduleStrategy }))).toBe(then === undefined ? undefined : milliseconds(then));
  });
});
