/** A call with a time limit whose timer and listeners end with the call, however long the limit is. */
import type { Clock } from '@kruise/kube';
import type { Milliseconds } from '@kruise/objects';

/** Runs a call. @param run receives a signal that aborts with `signal` and when the limit has passed */
export async function runWithin<T>(
  { clock, limit }: { readonly clock: Pick<Clock, 'schedule'>; readonly limit: Milliseconds },
  signal: AbortSignal,
  run: (within: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const end = (): void => over.abort(signal.reason);
  const timer = clock.schedule(limit, () => over.abort());
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await run(over.signal);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', end);
  }
}
