/** The same act for many numbers: at most so many at a time, or at a steady rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '@kruise/kube';

type Act = (at: number) => Promise<unknown>;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** @param act gets its number, from 0 on */
export const each = (count: number, act: Act, parallel = 32): Promise<void> =>
  inParallel(numbers(count), parallel, async (at) => void (await act(at)));

/** One that takes long does not delay the next. @throws the first failure, once all have ended */
export async function paced(count: number, perSecond: number, act: Act): Promise<void> {
  const began = performance.now();
  const calls: Promise<unknown>[] = [];
  for (const at of numbers(count)) {
    const wait = began + (at * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    calls.push(act(at));
  }
  const failed = (await Promise.allSettled(calls)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
