import { instant, milliseconds, type Instant, type Milliseconds } from '@kruise/objects';
import type { Clock, Timer } from '../clock.ts';
import { DueHeap } from '../workqueue/due-heap.ts';
import { sleepOn } from './system-clock.ts';

/** Turns of the event loop that `settle` waits: enough for chains of promises that yield between their steps. */
const settleTurns = 25;

/** A turn that takes longer is a slice of long work, of which a slow machine needs more: it is not counted. */
const workMs = 4;

/**
 * When {@link FakeClock.settle} ends: after a number of turns of the event loop, for work that goes through sockets, files or threads; or as soon as
 * no promise and no immediate waits, for work that only memory takes part in. The latter depends on no real time, so that a run repeats exactly.
 */
export type Settling = 'AfterTurns' | 'WhenIdle';

/** Immediates by which clocks wait until nothing else waits. */
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
 * A clock that stands still until it is stepped. Timers run in the order of their time, those of the same time in the order in which
 * they were made, and what waits on them gets to run in between.
 */
export class FakeClock implements Clock {
  /** Whether something is under way that no turn of the event loop ends, such as a call over a socket: time must not go on meanwhile. */
  isBusy: () => boolean = () => false;
  #now: number;
  #monotonic = 0;
  readonly #timers = new DueHeap<Waiting>();
  readonly #settling: Settling;

  /** @param start wall-clock time at the beginning; monotonic time begins at 0 */
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

  /** Timers that wait. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Goes on by `length` milliseconds, timer by timer, and lets promises settle before, between and after. */
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

  /** Goes on without running any timer, as when the process is stopped; the timers are late and run at the next `step`. */
  freeze(length: number): void {
    this.#moveTo(this.#monotonic + length);
  }

  /** Moves the wall clock alone, forward or back. */
  jumpWallClock(length: number): void {
    this.#now += length;
  }

  /** Lets promises and immediates that are due run, and the work that {@link isBusy} reports come to its end; time stands still. */
  async settle(turns = settleTurns): Promise<void> {
    for (let wasBusy = true; wasBusy || this.isBusy();) {
      wasBusy = this.isBusy();
      await (this.#settling === 'WhenIdle' ? this.#untilIdle() : this.#turn(turns));
    }
  }

  /** Between two immediates every promise runs that can, so that what is left over waits for a timer of this clock. */
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
