import { expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { RetryWaits } from './retry-waits.ts';
import type { NextStep } from './watch-failure.ts';

function someWaits() {
  const time = { now: 0 };
  const waits = new RetryWaits({ monotonic: () => milliseconds(time.now) }, () => 1);
  const times = (count: number, next: NextStep): readonly number[] => Array.from({ length: count }, () => waits.before(next));
  return { waits, time, times };
}

const again = (more: Partial<Extract<NextStep, { kind: 'Again' }>> = {}): NextStep => ({
  kind: 'Again',
  atLeast: undefined,
  reached: true,
  ...more,
});
const relist = (atOnce: boolean): NextStep => ({ kind: 'Relist', atOnce });

it('failures in a row wait longer, up to half a minute, and start over after a success', () => {
  const { waits, times } = someWaits();
  expect(times(8, again())).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
  expect(waits.failures).toBe(8);
  waits.succeeded();
  expect([waits.failures, times(1, again())]).toEqual([0, [800]]);
});

it('an unreachable server is retried every five seconds', () => {
  expect(someWaits().times(5, again({ reached: false }))).toEqual([800, 1600, 3200, 5000, 5000]);
});

it('the wait is as long as the server requests', () => {
  expect(someWaits().times(3, again({ atLeast: milliseconds(1000) }))).toEqual([1000, 1600, 3200]);
});

it('paged lists and a renewed watch start immediately', () => {
  const { waits, times } = someWaits();
  expect([...times(2, { kind: 'PagedLists' }), ...times(2, { kind: 'Renew' })]).toEqual([0, 0, 0, 0]);
  expect(waits.failures).toBe(0);
});

it('lists in a row become slower, the first one immediately if allowed, and only two calm minutes reset the wait', () => {
  const { waits, time, times } = someWaits();
  expect(times(3, relist(true))).toEqual([0, 1600, 3200]);
  waits.succeeded();
  time.now += 120_000;
  expect(times(1, relist(true))).toEqual([6400]);
  time.now += 120_001;
  expect(times(2, relist(true))).toEqual([0, 1600]);
  time.now += 120_001;
  expect(times(2, relist(false))).toEqual([800, 1600]);
  expect(waits.failures).toBe(0);
});
