/** Gives memory back at a moment that the program chooses: V8 keeps what a start has used up for as long as little is allocated after it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/**
 * Collects everything that can be collected in this thread and returns free pages to the system. It stops the thread for about 20 ms a
 * start's worth of heap, so it is for once after start-up, not for hot paths.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
