/** The same act for many numbers: at most so many at a time, or at a steady rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '@kruise/kube';

type Act = (at: number) => Promise<unknown>;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/** @param act gets its number, from 0 on */
export const each = (count: number, act: Act, parallel = 32): Promise<void> =>
  inParallel(numbers(count), parallel, async (at) => void (await act(at)));

/** A late one does not delay the next. @throws the first failure, once all have ended */
export async function paced(count: number, perSecond: number, act: Act): Promise<void> {
  const began = performance.now();
  const calls: Promise<unknown>[] = [];
  for (const at of numbers(count)) {
    await sleep(Math.max(began + (at * 1000) / perSecond - performance.now(), 0));
    calls.push(act(at));
  }
  await Promise.allSettled(calls);
  await Promise.all(calls);
}

/** @returns what `act` returns, and the milliseconds that it takes */
export async function timed<T>(act: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const began = performance.now();
  const result = await act();
  return { result, ms: performance.now() - began };
}
