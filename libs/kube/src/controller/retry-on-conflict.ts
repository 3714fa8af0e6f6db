import { milliseconds, type Milliseconds } from '@kruise/objects';
import { isFailure } from '../api-error.ts';
import type { Clock } from '../clock.ts';

/** The number of retries of a conflicting write, and the waits between them. */
export interface ConflictPreset {
  /** Number of attempts. */
  readonly tries: number;
  /** The wait before the second attempt. */
  readonly firstWait: Milliseconds;
  /** Each further wait is this many times the previous one. */
  readonly factor: number;
  /** Up to this part is added to each wait. */
  readonly jitter: number;
}

/**
 * The presets that the specification names: default retry (5 tries, 10 ms) and default backoff (4 tries, 10/50/250 ms), with 10 % jitter. The third
 * one is for statuses that several processes count in (6 tries, from 5 ms on, four times as long each time): a caller waits for the answer, and
 * processes that conflicted must not conflict again.
 * @see spec/manager.md 5.6
 */
export const conflictPresets = {
  defaultRetry: { tries: 5, firstWait: milliseconds(10), factor: 1, jitter: 0.1 },
  defaultBackoff: { tries: 4, firstWait: milliseconds(10), factor: 5, jitter: 0.1 },
  counter: { tries: 6, firstWait: milliseconds(5), factor: 4, jitter: 1 },
} satisfies Record<string, ConflictPreset>;

/** The clock that waits between two attempts, and the signal that ends them. */
export interface RetryTools {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal?: AbortSignal;
  /** Returns a number from 0 to below 1. Math.random when absent. */
  readonly random?: () => number;
}

/**
 * Repeats a read-change-write until it does not conflict.
 *
 * @param attempt reads the object each time: from the cache at first, from the API server after a conflict, because a stale cache would conflict
 * repeatedly
 * @returns what the first attempt without a conflict returns
 * @throws the conflict of the last attempt, any other failure immediately, the reason of the signal when it aborts in a wait
 * @see spec/inplace-update.md 11.6
 */
export async function retryOnConflict<T>(
  preset: ConflictPreset,
  tools: RetryTools,
  attempt: (readFrom: 'Cache' | 'Server') => Promise<T>,
): Promise<T> {
  const random = tools.random ?? Math.random;
  let wait: number = preset.firstWait;
  for (let left = preset.tries - 1; ; left--) {
    try {
      return await attempt(left === preset.tries - 1 ? 'Cache' : 'Server');
    } catch (error) {
      if (left <= 0 || !isFailure(error, 'Conflict')) throw error;
    }
    await tools.clock.sleep(milliseconds(wait * (1 + random() * preset.jitter)), tools.signal);
    wait *= preset.factor;
  }
}
