import { expect, it } from '@jest/globals';
import { planUnread, type Unread } from './plan-environment.ts';

it('environments that cannot be read are retried with increasing pauses, at most ten minutes apart', () => {
  const pauses: number[] = [];
  let unread: Unread | undefined;
  for (let pass = 0; pass < 2000; pass++) {
    const { next, after } = planUnread(unread, ['b', 'a']);
    pauses.push(after / 1000);
    unread = next;
  }
  expect(pauses.slice(0, 10)).toEqual([3, 6, 12, 24, 48, 96, 192, 384, 600, 600]);
  expect([pauses.at(-1), unread]).toEqual([600, { containerIDs: ['a', 'b'], failures: 2000 }]);
});

it.each<[string, readonly string[], number]>([
  ['another instance', ['a', 'c'], 1],
  ['fewer of them', ['b'], 6],
])('%s: %j has failed %j times', (_name, containerIDs, failures) => {
  expect(planUnread({ containerIDs: ['a', 'b'], failures: 5 }, containerIDs).next).toEqual({ containerIDs, failures });
});
