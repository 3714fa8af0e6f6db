/** Time for the parts that wait. `SystemClock` in programs; tests step the `FakeClock` of `@kruise/kube/testing`. */
import type { Instant, Milliseconds } from '@kruise/objects';

/** A task that is scheduled. Cancelling one that has run does nothing. */
export interface Timer {
  cancel(): void;
}

/** Two kinds of time: that of the wall for what others read, and a monotonic one for what is measured. */
export interface Clock {
  /** Wall-clock time, for what is written to objects. May jump. */
  now(): Instant;
  /** Monotonic time in milliseconds, for deadlines and durations. Never jumps. */
  monotonic(): Milliseconds;
  /** Runs `task` once, `after` later; a length beyond Node's timer limit of 2^31-1 ms waits that long instead of firing at once. */
  schedule(after: Milliseconds, task: () => void): Timer;
  /** Resolves `after` later; rejects with the signal's reason when aborted before. */
  sleep(after: Milliseconds, signal?: AbortSignal): Promise<void>;
}
