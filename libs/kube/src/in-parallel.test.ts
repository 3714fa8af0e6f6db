import { expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inParallel } from './in-parallel.ts';

it('runs every task once, in order, and never more than the limit at a time', async () => {
  const items = Array.from({ length: 20 }, (_, index) => index);
  const begun: number[] = [];
  let [running, most] = [0, 0];
  await inParallel(items, 3, async (item) => {
    begun.push(item);
    most = Math.max(most, ++running);
    for (let turn = 0; turn < item % 3; turn++) await nextTurn();
    running--;
  });
  expect(begun).toEqual(items);
  expect([most, running]).toEqual([3, 0]);
});

it('does nothing without items', async () => {
  let ran = 0;
  await inParallel([], 3, async () => void ran++);
  expect(ran).toBe(0);
});
