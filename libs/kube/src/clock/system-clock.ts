import { instant, milliseconds, type Instant, type Milliseconds } from '@kruise/objects';
import type { Clock, Timer } from '../clock.ts';

/** Node fires a longer timer immediately. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's clock. `monotonic` is CLOCK_MONOTONIC: it advances while the process is stopped, but not while the machine is suspended. */
export class SystemClock implements Clock {
  readonly #unref: boolean;

  /**
   * Creates a clock.
   *
   * @param options `unref`: waiting timers do not keep the process alive; off by default
   */
  constructor(options: { readonly unref?: boolean } = {}) {
    this.#unref = options.unref ?? false;
  }

  now(): Instant {
    return instant(Date.now());
  }

  monotonic(): Milliseconds {
    return milliseconds(performance.now());
  }

  schedule(after: Milliseconds, task: () => void): Timer {
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      const length = Math.min(Math.max(left, 0), longestTimerMs);
      handle = setTimeout(() => (left > longestTimerMs ? arm(left - length) : task()), length);
      if (this.#unref) handle.unref();
    };
    arm(after);
    return { cancel: () => clearTimeout(handle) };
  }

  sleep(after: Milliseconds, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, after, signal);
  }
}

/** Implements `Clock.sleep` with the `schedule` of any clock: one timer and one listener, both removed when it settles. */
export function sleepOn(clock: Pick<Clock, 'schedule'>, after: Milliseconds, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = clock.schedule(after, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}
