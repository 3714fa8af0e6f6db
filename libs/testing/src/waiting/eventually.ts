/** Waits for events over real sockets, files, threads and processes, which no test clock controls. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** A wait ends as soon as its condition holds, so only a fault takes this long, however slow the machine is. */
const longestWaitMs = 180_000;
/** In-process work is noticed within a turn. A longer wait checks less often, so that it leaves the CPU to the awaited work. */
const turnsMs = 20;
const longestPauseMs = 250;

/**
 * Checks `condition` repeatedly until it holds.
 *
 * For the first 20 ms it checks at every turn of the event loop, afterwards with pauses that grow to 250 ms, a tenth of the time that it has waited.
 *
 * @throws when the condition does not hold within `withinMs` of real time
 */
export async function eventually(condition: () => boolean | Promise<boolean>, withinMs = longestWaitMs): Promise<void> {
  const began = performance.now();
  while (!(await condition())) {
    const passedMs = performance.now() - began;
    if (passedMs > withinMs) throw new Error(`not within ${withinMs} ms: ${condition.toString()}`);
    if (passedMs < turnsMs) await nextTurn();
    else await sleep(Math.min(longestPauseMs, passedMs / 10));
  }
}
