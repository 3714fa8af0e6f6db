import { expect, it } from '@jest/globals';
import { formatTime, instant, seconds, type Pod } from '@kruise/objects';
import { pendingTimeout } from './pending-timeout.ts';

const now = instant(1_700_000_000_000);
interface Given {
  readonly age: number;
  readonly phase?: string;
  readonly node?: string;
  readonly isDeleted?: boolean;
  readonly scheduled?: { readonly status: string; readonly reason?: string };
}
const unschedulable = { status: 'False', reason: 'Unschedulable' };

function aPod({ age, phase = 'Pending', node, isDeleted = false, scheduled }: Given): Pod {
  return {
    metadata: {
      name: 'a',
      creationTimestamp: formatTime(instant(now - seconds(age))),
      ...(isDeleted ? { deletionTimestamp: formatTime(now) } : {}),
    },
    spec: { containers: [], ...(node === undefined ? {} : { nodeName: node }) },
    status: { phase, conditions: scheduled === undefined ? [] : [{ type: 'PodScheduled', ...scheduled }] },
  };
}

it.each<{ name: string; given: Given; then: object }>([
  { name: 'unschedulable for longer than the time', given: { age: 31, scheduled: unschedulable }, then: { kind: 'TimedOut' } },
  {
    name: 'unschedulable for exactly the time: checked immediately, because it is not over',
    given: { age: 30, scheduled: unschedulable },
    then: { kind: 'Waiting', checkAfter: 1 },
  },
  { name: 'unschedulable for less', given: { age: 10, scheduled: unschedulable }, then: { kind: 'Waiting', checkAfter: 20_000 } },
  { name: 'not reported by the scheduler yet', given: { age: 10 }, then: { kind: 'Waiting', checkAfter: 20_000 } },
  { name: 'not reported by the scheduler for long', given: { age: 500 }, then: { kind: 'Waiting', checkAfter: 1000 } },
  {
    name: 'not scheduled for another reason',
    given: { age: 500, scheduled: { status: 'False', reason: 'SchedulingGated' } },
    then: { kind: 'Waiting', checkAfter: 1000 },
  },
  {
    name: 'scheduled again, with an old reason',
    given: { age: 29, scheduled: { status: 'True', reason: 'Unschedulable' } },
    then: { kind: 'Waiting', checkAfter: 1000 },
  },
  { name: 'a Pod with a node', given: { age: 500, node: 'n', scheduled: unschedulable }, then: { kind: 'NotWaiting' } },
  { name: 'a Pod with an empty node name waits', given: { age: 500, node: '', scheduled: unschedulable }, then: { kind: 'TimedOut' } },
  { name: 'a running Pod', given: { age: 500, phase: 'Running', scheduled: unschedulable }, then: { kind: 'NotWaiting' } },
  { name: 'a Pod that is being deleted', given: { age: 500, isDeleted: true, scheduled: unschedulable }, then: { kind: 'NotWaiting' } },
])('$name', ({ given, then }) => {
  expect(pendingTimeout(aPod(given), seconds(30), now)).toEqual(then);
});

it('a Pod without a time of creation never times out', () => {
  const pod = aPod({ age: 500, scheduled: unschedulable });
  const unborn: Pod = { ...pod, metadata: { name: 'a' } };
  expect(pendingTimeout(unborn, seconds(30), now)).toEqual({ kind: 'NotWaiting' });
});
