/** Waits until something stops changing, before a test reads it while several programs may still write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

const everyMs = 100;
/** Only a value that keeps changing takes this long, however slow the machine is. */
const longestWaitMs = 180_000;

/**
 * Reads a value repeatedly until it has stayed the same for `forMs` of real time.
 *
 * @param what names the value in the failure
 * @returns the value
 * @throws when the value still changes after `withinMs`
 */
export async function comesToRest<T>(what: string, read: () => Promise<T>, forMs: number, withinMs = longestWaitMs): Promise<T> {
  const began = performance.now();
  let [value, since] = [await read(), performance.now()];
  while (performance.now() - since < forMs) {
    if (performance.now() - began > withinMs) throw new Error(`${what}: still changes after ${withinMs} ms`);
    await sleep(Math.min(everyMs, forMs));
    const next = await read();
    if (!isDeepStrictEqual(next, value)) [value, since] = [next, performance.now()];
  }
  return value;
}
