import { inParallel } from '../in-parallel.ts';

/** The result of a slow start. */
export interface SlowStartResult {
  /** Tasks that succeeded, including those beside a failing one in its batch. */
  readonly succeeded: number;
  /** Tasks that were begun. */
  readonly started: number;
  /** The first failure of its batch. */
  readonly failure?: { readonly error: unknown };
}

/** Maximum of parallel tasks of a batch: hundreds of request bodies created in one turn of the event loop would block it. */
const parallelTasks = 64;

/**
 * Runs `task` for 0, 1, ... count-1 in batches of 1, 2, 4, ... at a time, so that a call that cannot succeed (a quota) fails once and not hundreds of
 * times. After a batch with a failure no further one begins; the batch itself is awaited. No more than 64 run at a time.
 *
 * @param signal no further batch begins once it is aborted; running tasks have to check it themselves
 * @remarks Never throws.
 * @see spec/inplace-update.md 11.7
 */
export async function slowStart(count: number, task: (index: number) => Promise<unknown>, signal?: AbortSignal): Promise<SlowStartResult> {
  let [succeeded, started] = [0, 0];
  let failure: SlowStartResult['failure'];
  const attempt = async (index: number): Promise<void> => {
    try {
      await task(index);
      succeeded++;
    } catch (error) {
      failure ??= { error };
    }
  };
  for (let size = 1; started < count && failure === undefined && !signal?.aborted; size *= 2) {
    const batch = Math.min(size, count - started);
    const from = started;
    started += batch;
    await inParallel(
      Array.from({ length: batch }, (_, index) => from + index),
      parallelTasks,
      attempt,
    );
  }
  return { succeeded, started, ...(failure === undefined ? {} : { failure }) };
}
