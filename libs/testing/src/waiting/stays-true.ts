/** Checks that nothing happens, for which a test has to wait some real time. */
import { setTimeout as sleep } from 'node:timers/promises';

const everyMs = 50;

/**
 * Checks a condition repeatedly for `forMs` of real time.
 *
 * @param what names the condition in the failure
 * @throws as soon as it does not hold
 */
export async function staysTrue(what: string, condition: () => boolean | Promise<boolean>, forMs: number): Promise<void> {
  const began = performance.now();
  for (;;) {
    const passed = performance.now() - began;
    if (!(await condition())) throw new Error(`${what}: no longer so after ${Math.round(passed)} ms`);
    if (passed >= forMs) return;
    await sleep(Math.min(everyMs, forMs - passed));
  }
}
