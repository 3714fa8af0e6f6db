/** Waits of the benchmark: what it measures has no event that it could wait for otherwise. */
import { setTimeout as sleep } from 'node:timers/promises';

interface Patience {
  readonly timeoutMs?: number;
  readonly everyMs?: number;
}

/** @throws with `what` when it does not hold in time */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  { timeoutMs = 60_000, everyMs = 50 }: Patience = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not so after ${timeoutMs / 1000} s`);
    await sleep(everyMs);
  }
}
