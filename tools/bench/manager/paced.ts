/** Calls at a steady rate: one that takes long does not delay the next. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Ends when all calls have. @param call gets its number, from 0 on @throws the first failure, once all calls have ended */
export async function paced(count: number, perSecond: number, call: (at: number) => Promise<void>): Promise<void> {
  const began = performance.now();
  const calls: Promise<void>[] = [];
  for (let at = 0; at < count; at++) {
    const wait = began + (at * 1000) / perSecond - performance.now();
    if (wait > 0) await sleep(wait);
    calls.push(call(at));
  }
  const failed = (await Promise.allSettled(calls)).find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
