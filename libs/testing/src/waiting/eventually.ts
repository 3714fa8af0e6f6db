/** Waiting for what happens over real sockets, files, threads and processes, which no test clock drives. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** A wait ends as soon as its condition holds, so only a fault takes this long, however slow the machine. */
const longestWaitMs = 180_000;
/** In-process work is seen within a turn. A longer wait looks less often, so that it leaves the CPU to what it waits for. */
const turnsMs = 20;
const longestPauseMs = 250;

/**
 * Looks at `condition` again and again until it holds.
 *
 * For the first 20 ms it looks at every turn of the event loop, afterwards with pauses that grow to 250 ms, a tenth of the time that it has waited.
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
