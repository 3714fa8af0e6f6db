/** Gives memory back at a moment that the program chooses: V8 keeps what a start has used up for as long as little is allocated after it. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/**
 * V8's collector, which only a context that is made under this flag has. The flag is one for all threads: undefined when another thread took
 * it back in between.
 */
function collector(): Collect | undefined {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('globalThis.gc') as Collect | undefined;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

/**
 * Collects everything that can be collected in this thread and returns free pages to the system. It stops the thread, some 20 ms for 20 MB
 * of heap, so it is for once after start-up, not for hot paths. Nothing is collected when another thread calls it at this very moment.
 */
export function collectGarbage(): void {
  collector()?.({ type: 'major', flavor: 'last-resort' });
}

/** Above this the pause would be felt, and what the start used up has been used again. */
const largestHeapBytes = 40 * 1024 * 1024;

/** Whether a collection at this heap size is short enough, and gives back something that would otherwise stay unused. */
export const isWorthCollecting = (usedHeapBytes: number): boolean => usedHeapBytes <= largestHeapBytes;

/** How often it is looked whether the moment has come. */
const lookAgainMs = 20;

/**
 * {@link collectGarbage} once the start is over, unless the heap is large by then. Keeps no process alive.
 *
 * @param isIdle asked from then on until it says that nobody waits for this thread, who would have to wait for the collection, too; the thread
 * counts as idle when absent
 */
export function collectGarbageAfter(delayMs: number, isIdle: () => boolean = () => true): void {
  const look = (): void => {
    if (!isIdle()) setTimeout(look, lookAgainMs).unref();
    else if (isWorthCollecting(getHeapStatistics().used_heap_size)) collectGarbage();
  };
  setTimeout(look, delayMs).unref();
}
