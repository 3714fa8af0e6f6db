/** Waiting for what happens over real sockets, files and threads, which no test clock drives. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Lets the event loop turn until `condition` holds. Nothing is slept through: each turn takes in what has arrived.
 *
 * @throws when it does not hold within `withinMs` of real time
 */
export async function eventually(condition: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${condition.toString()}`);
    await nextTurn();
  }
}
