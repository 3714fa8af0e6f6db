/** Time for code that waits. Programs use `SystemClock`; tests step the `FakeClock` of `@kruise/kube/testing`. */
import type { Instant, Milliseconds } from '@kruise/objects';

/** A scheduled task. Cancelling a task that has run does nothing. */
export interface Timer {
  cancel(): void;
}

/** Two kinds of time: wall-clock time for what other clients read, and monotonic time for durations. */
export interface Clock {
  /** Returns wall-clock time, for what is written to objects. It may jump. */
  now(): Instant;
  /** Returns monotonic time in milliseconds, for deadlines and durations. It never jumps. */
  monotonic(): Milliseconds;
  /** Runs `task` once after `after`. A time beyond Node's timer limit of 2^31-1 ms is waited out instead of firing immediately. */
  schedule(after: Milliseconds, task: () => void): Timer;
  /** Resolves after `after`. Rejects with the signal's reason when the signal aborts before. */
  sleep(after: Milliseconds, signal?: AbortSignal): Promise<void>;
}
