import type { KubeObject, Milliseconds } from '@kruise/objects';
import type { Clock } from '../clock.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { Slices } from './slices.ts';

/** Reports every object of the store to its listeners again, at each interval after the first list, until `signal` aborts. */
export async function resync<T extends KubeObject>(
  store: ObjectStore<T>,
  clock: Clock,
  every: Milliseconds | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (every === undefined || every <= 0) return;
  const slices = new Slices(clock);
  while (!signal.aborted) {
    await clock.sleep(every, signal).catch(() => undefined);
    if (signal.aborted || !store.synced) continue;
    for (const object of store.list()) {
      store.tellAgain(object);
      const pause = slices.pause();
      if (pause !== undefined) await pause;
    }
  }
}
