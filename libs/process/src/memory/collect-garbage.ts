/** Releases memory at a moment that the program chooses: V8 keeps the memory that a start has used for as long as little is allocated after it. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/**
 * Returns V8's collector, which only a context that was created under this flag has. The flag is shared by all threads: undefined when another thread
 * unset it in between.
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
 * Collects all garbage of this thread and returns free pages to the system. It stops the thread for about 20 ms for 20 MB of heap, so use it once
 * after start-up, not in hot paths.
 *
 * @returns false when nothing is collected, because another thread calls it at the same moment
 */
export function collectGarbage(): boolean {
  const collect = collector();
  collect?.({ type: 'major', flavor: 'last-resort' });
  return collect !== undefined;
}

/** With a larger heap the pause would be noticeable, and the memory of the start is in use again. */
const largestHeapBytes = 40 * 1024 * 1024;

/** Returns whether a collection at this heap size is short enough, and releases memory that would otherwise stay unused. */
export const isWorthCollecting = (usedHeapBytes: number): boolean => usedHeapBytes <= largestHeapBytes;

/** How often to check whether the moment has come. */
const pollMs = 20;

/**
 * Runs {@link collectGarbage} once the start is over, unless the heap is large by then. Keeps no process alive.
 *
 * @param isIdle called from then on until it returns true: no caller waits for this thread and would have to wait for the collection, too; the thread
 * counts as idle when absent
 */
export function collectGarbageAfter(delayMs: number, isIdle: () => boolean = () => true): void {
  const look = (): void => {
    const isDone = isIdle() && (!isWorthCollecting(getHeapStatistics().used_heap_size) || collectGarbage());
    if (!isDone) setTimeout(look, pollMs).unref();
  };
  setTimeout(look, delayMs).unref();
}
