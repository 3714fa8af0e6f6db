import { instant, milliseconds, type Instant, type Milliseconds } from '@kruise/objects';
import type { Clock, Timer } from '../clock.ts';
import { DueHeap } from '../workqueue/due-heap.ts';
import { sleepOn } from './system-clock.ts';

/** Turns of the event loop that `settle` waits: enough for chains of promises that yield between their steps. */
const settleTurns = 25;

/** A turn that takes longer is a slice of long work, of which a slow machine needs more. It is not counted. */
const workMs = 4;

/**
 * When {@link FakeClock.settle} ends. `AfterTurns`: after a number of turns of the event loop, for work that uses sockets, files or threads.
 * `WhenIdle`: as soon as no promise and no immediate waits, for work in memory only; it depends on no real time, so that a run repeats exactly.
 */
export type Settling = 'AfterTurns' | 'WhenIdle';

/** Immediates that clocks use to wait until nothing else waits. */
let ownImmediates = 0;

const isImmediateWaiting = (): boolean => process.getActiveResourcesInfo().filter((type) => type === 'Immediate').length > ownImmediates;

const nextImmediate = (): Promise<void> =>
  new Promise((resolve) => {
    ownImmediates++;
    setImmediate(() => {
      ownImmediates--;
      resolve();
    });
  });

interface Waiting {
  readonly task: () => void;
}

/**
 * A clock that advances only when it is stepped. Timers run in the order of their time, and timers of the same time in the order in which they were
 * created. Code that waits for them runs in between.
 */
export class FakeClock implements Clock {
  /** Returns whether work is in progress that no turn of the event loop ends, such as a call over a socket. Time must not advance meanwhile. */
  isBusy: () => boolean = () => false;
  #now: number;
  #monotonic = 0;
  readonly #timers = new DueHeap<Waiting>();
  readonly #settling: Settling;

  /**
   * Creates a clock.
   *
   * @param start wall-clock time at the beginning; monotonic time begins at 0
   */
  constructor(start: Instant = instant(Date.parse('2025-01-01T00:00:00Z')), settling: Settling = 'AfterTurns') {
    this.#now = start;
    this.#settling = settling;
  }

  now(): Instant {
    return instant(this.#now);
  }

  monotonic(): Milliseconds {
    return milliseconds(this.#monotonic);
  }

  schedule(after: Milliseconds, task: () => void): Timer {
    const waiting = { task };
    this.#timers.set(waiting, this.#monotonic + Math.max(after, 0));
    return { cancel: () => this.#timers.delete(waiting) };
  }

  sleep(after: Milliseconds, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, after, signal);
  }

  /** Number of waiting timers. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances by `length` milliseconds, timer by timer, and lets promises settle before, between and after. */
  async step(length: number): Promise<void> {
    const until = this.#monotonic + length;
    await this.settle();
    while (this.#timers.nextDue <= until) {
      this.#moveTo(Math.max(this.#timers.nextDue, this.#monotonic));
      (this.#timers.pop() as Waiting).task();
      await this.settle();
    }
    this.#moveTo(Math.max(until, this.#monotonic));
  }

  /** Advances without running any timer, as when the process is stopped. The timers run late, at the next `step`. */
  freeze(length: number): void {
    this.#moveTo(this.#monotonic + length);
  }

  /** Moves only the wall clock, forward or back. */
  jumpWallClock(length: number): void {
    this.#now += length;
  }

  /** Runs promises and immediates that are due, and waits for the work that {@link isBusy} reports. Time does not advance. */
  async settle(turns = settleTurns): Promise<void> {
    for (let wasBusy = true; wasBusy || this.isBusy();) {
      wasBusy = this.isBusy();
      await (this.#settling === 'WhenIdle' ? this.#untilIdle() : this.#turn(turns));
    }
  }

  /** Between two immediates every promise runs that can, so the rest waits for a timer of this clock. */
  async #untilIdle(): Promise<void> {
    do await nextImmediate();
    while (isImmediateWaiting());
  }

  async #turn(turns: number): Promise<void> {
    for (let counted = 0; counted < turns;) {
      const began = performance.now();
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (performance.now() - began < workMs) counted++;
    }
  }

  #moveTo(monotonic: number): void {
    this.#now += monotonic - this.#monotonic;
    this.#monotonic = monotonic;
  }
}
