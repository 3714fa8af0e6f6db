import { expect, it } from '@jest/globals';
import { paced, ticks } from './each.ts';

it('counts at a steady rate, however late the consumer is', async () => {
  const began = performance.now();
  const seen: number[] = [];
  for await (const at of ticks(100, { count: 5 })) {
    seen.push(at);
    if (at === 0) while (performance.now() - began < 35);
  }
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect(performance.now() - began).toBeGreaterThanOrEqual(39);
});

it('stops to count when the signal aborts', async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  for await (const at of ticks(1000, { signal: stop.signal })) {
    seen.push(at);
    if (at === 2) stop.abort();
  }
  expect(seen).toEqual([0, 1, 2]);
});

it('makes every call before it throws the first failure', async () => {
  const ended: number[] = [];
  const call = async (at: number): Promise<void> => {
    ended.push(at);
    if (at < 2) throw new Error(`call ${at} failed`);
  };
  await expect(paced(4, 1000, call)).rejects.toThrow('call 0 failed');
  expect(ended).toEqual([0, 1, 2, 3]);
  await paced(0, 1, call);
  expect(ended).toHaveLength(4);
});
