/** The same act for many numbers: at most so many at a time, or at a steady rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '@kruise/kube';

type Act = (at: number) => Promise<unknown>;

interface TickLimits {
  readonly count?: number;
  readonly signal?: AbortSignal;
}

/** @param act gets its number, from 0 on */
export const each = (count: number, act: Act, parallel = 32): Promise<void> =>
  inParallel([...Array(count).keys()], parallel, async (at) => void (await act(at)));

/** Numbers from 0 on, at a steady rate until `signal` aborts. A consumer that is late gets at once what it has missed. */
export async function* ticks(perSecond: number, { count = Infinity, signal }: TickLimits = {}): AsyncGenerator<number> {
  const began = performance.now();
  for (let at = 0; at < count; at++) {
    await sleep(Math.max(began + (at * 1000) / perSecond - performance.now(), 0), undefined, { signal }).catch(() => undefined);
    if (signal?.aborted === true) return;
    yield at;
  }
}

/** A late one does not delay the next. @throws the first failure, once all have ended */
export async function paced(count: number, perSecond: number, act: Act): Promise<void> {
  const calls: Promise<unknown>[] = [];
  for await (const at of ticks(perSecond, { count })) {
    const call = act(at);
    call.catch(() => undefined); // It is thrown below, when all have ended.
    calls.push(call);
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
