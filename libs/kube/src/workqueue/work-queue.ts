import { milliseconds, parseKey, type Milliseconds } from '@kruise/objects';
import type { Clock, Timer } from '../clock.ts';
import { DueHeap } from './due-heap.ts';
import { FairFifo } from './fair-fifo.ts';
import { controllerRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** `Background` waits behind `Live`, but not indefinitely: each {@link liveBeforeBackground} live keys let one background key pass. */
export type Priority = 'Live' | 'Background';

/** The metrics of a queue; the program binds them to `workqueue_*{name}`. They must not throw. */
export interface QueueMetrics {
  /** Reports the keys that wait, including those that will be processed again after their present run. */
  depth(keys: number): void;
  /** Reports that a key began to wait. A key that waited already does not count. */
  added(): void;
  /** Reports that a key was delayed, by backoff or for a given time. */
  retried(): void;
  /** Reports how long a key waited before its run. */
  queueSeconds(seconds: number): void;
  /** Reports how long the run of a key took. */
  workSeconds(seconds: number): void;
}

/** Runs in progress, read when metrics are collected. */
export interface UnfinishedWork {
  readonly totalSeconds: number;
  readonly longestSeconds: number;
}

/** The clock of a queue, and how it spaces retries. */
export interface WorkQueueOptions<K extends string> {
  readonly clock: Clock;
  /** {@link controllerRateLimiter} with its defaults when absent. */
  readonly limiter?: RateLimiter<K>;
  readonly metrics?: QueueMetrics;
  /** How many keys of one namespace are handed out at the same time; unlimited when absent. Cluster-scoped objects count as one namespace. */
  readonly mostOfNamespace?: number;
}

interface Waiting<K> {
  readonly key: K;
  readonly since: number;
  readonly priority: Priority;
}

interface Running<K> {
  readonly since: number;
  again: Waiting<K> | undefined;
  /** Whether the key counts among the running ones of its namespace. */
  isCounted: boolean;
}

const liveBeforeBackground = 8;

/**
 * A queue of keys to process. A key that is added several times while it waits is handed out once. A key that is added while it is processed is
 * handed out again after `done`, never at the same time. Within a priority the waiting namespaces take turns, and the keys of each are handed out in
 * the order in which they were added. The queue keeps nothing of a key that is neither waiting, delayed, running nor failing.
 * @see spec/manager.md 5.6
 */
export class WorkQueue<K extends string = string> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<K>;
  readonly #metrics: QueueMetrics | undefined;
  readonly #mostOfNamespace: number;
  readonly #live = new FairFifo<Waiting<K>>();
  readonly #background = new FairFifo<Waiting<K>>();
  /** A key that a fifo holds but this map does not was moved forward; the fifo skips it. */
  readonly #waiting = new Map<K, Waiting<K>>();
  readonly #running = new Map<K, Running<K>>();
  /** Running keys by namespace. */
  readonly #runningOf = new Map<string, number>();
  readonly #delayed = new DueHeap<K>();
  readonly #takers = new Set<(key: K | undefined) => void>();
  readonly #idle: (() => void)[] = [];
  #timer: { readonly due: number; readonly timer: Timer } | undefined;
  #again = 0;
  #liveInRow = 0;
  #shutDown = false;

  constructor(options: WorkQueueOptions<K>) {
    this.#clock = options.clock;
    this.#limiter = options.limiter ?? controllerRateLimiter<K>(options.clock);
    this.#metrics = options.metrics;
    this.#mostOfNamespace = options.mostOfNamespace ?? Infinity;
  }

  /** Keys that wait to be handed out; neither delayed nor running ones. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Keys that are delayed. */
  get delayed(): number {
    return this.#delayed.size;
  }

  /** Keys that are handed out and not yet `done`. */
  get running(): number {
    return this.#running.size;
  }

  get isShutDown(): boolean {
    return this.#shutDown;
  }

  /** Adds `key`. A `Live` add moves a key forward that waits as `Background`. Does nothing after a shutdown. */
  add(key: K, priority: Priority = 'Live'): void {
    if (this.#shutDown) return;
    const run = this.#running.get(key);
    const before = run === undefined ? this.#waiting.get(key) : run.again;
    if (before !== undefined && (before.priority === 'Live' || priority === 'Background')) return;
    const entry = { key, since: before?.since ?? this.#clock.monotonic(), priority };
    if (run === undefined) this.#enqueue(entry);
    else run.again = entry;
    if (before === undefined) this.#onAdded(run !== undefined);
  }

  #onAdded(again: boolean): void {
    if (again) this.#again++;
    this.#metrics?.added();
    this.#reportDepth();
    this.#serve();
  }

  /** Adds `key` after this time; of several times the earliest counts. 0 or less adds it immediately. Does nothing after a shutdown. */
  addAfter(key: K, after: Milliseconds): void {
    if (this.#shutDown) return;
    this.#metrics?.retried();
    if (!(after > 0)) return this.add(key);
    const due = this.#clock.monotonic() + after;
    if (this.#delayed.dueOf(key) <= due) return;
    this.#delayed.set(key, due);
    if (due < (this.#timer?.due ?? Infinity)) this.#arm(due);
  }

  /** Adds `key` after the limiter's wait for one more failure, and not before `atLeast`. */
  addRateLimited(key: K, atLeast: Milliseconds = milliseconds(0)): void {
    if (this.#shutDown) return;
    this.addAfter(key, milliseconds(Math.max(this.#limiter.when(key), atLeast)));
  }

  /** Ends the backoff of `key`. Does not remove it from the queue. */
  forget(key: K): void {
    this.#limiter.forget(key);
  }

  /** Returns the number of failures of `key` since it was last forgotten. */
  retries(key: K): number {
    return this.#limiter.retries(key);
  }

  /**
   * Returns the next key when there is one. The caller owns it until `done`.
   * @returns undefined once the queue is shut down and empty, or when `signal` aborts
   */
  get(signal?: AbortSignal): Promise<K | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const key = this.#next();
    if (key !== undefined || this.#shutDown) return Promise.resolve(key);
    return new Promise((resolve) => {
      const stop = (): void => take(undefined);
      const take = (given: K | undefined): void => {
        this.#takers.delete(take);
        signal?.removeEventListener('abort', stop);
        resolve(given);
      };
      signal?.addEventListener('abort', stop);
      this.#takers.add(take);
    });
  }

  /** Gives `key` back. It is queued again when it was added meanwhile. Ignored for a key that is not running. */
  done(key: K): void {
    const run = this.#running.get(key);
    if (run === undefined) return;
    this.#running.delete(key);
    this.#discount(key, run);
    this.#metrics?.workSeconds((this.#clock.monotonic() - run.since) / 1000);
    if (run.again !== undefined) {
      this.#again--;
      this.#enqueue(run.again);
    }
    this.#serve();
    this.#checkIdle();
  }

  /** Lets the namespace of `key` have another key running. The caller keeps `key` until `done`. */
  letGo(key: K): void {
    const run = this.#running.get(key);
    if (run === undefined) return;
    this.#discount(key, run);
    this.#serve();
  }

  /**
   * Accepts no more keys and drops the delayed ones. Waiting keys are still handed out, unless `discard`. Waiting `get` calls return undefined when
   * the queue is empty.
   */
  shutDown(options: { readonly discard?: boolean } = {}): void {
    this.#shutDown = true;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
    this.#delayed.clear();
    if (options.discard) this.#discardWaiting();
    for (const take of [...this.#takers]) take(undefined);
    this.#checkIdle();
  }

  /** Shuts down and resolves when all waiting and running keys are done. Rejects with the signal's reason. */
  async shutDownWithDrain(signal?: AbortSignal): Promise<void> {
    this.shutDown();
    if (this.#isIdle()) return;
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(signal?.reason as Error);
      signal?.addEventListener('abort', stop, { once: true });
      this.#idle.push(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
    });
  }

  unfinishedWork(): UnfinishedWork {
    const now = this.#clock.monotonic();
    let [total, longest] = [0, 0];
    for (const { since } of this.#running.values()) {
      total += now - since;
      longest = Math.max(longest, now - since);
    }
    return { totalSeconds: total / 1000, longestSeconds: longest / 1000 };
  }

  #enqueue(entry: Waiting<K>): void {
    this.#waiting.set(entry.key, entry);
    (entry.priority === 'Live' ? this.#live : this.#background).push(parseKey(entry.key).namespace, entry);
  }

  #count(key: K): void {
    const { namespace } = parseKey(key);
    this.#runningOf.set(namespace, (this.#runningOf.get(namespace) ?? 0) + 1);
  }

  #discount(key: K, run: Running<K>): void {
    if (!run.isCounted) return;
    run.isCounted = false;
    const { namespace } = parseKey(key);
    const left = (this.#runningOf.get(namespace) ?? 0) - 1;
    if (left > 0) this.#runningOf.set(namespace, left);
    else this.#runningOf.delete(namespace);
  }

  #serve(): void {
    for (const take of this.#takers) {
      const key = this.#next();
      if (key === undefined) return;
      take(key);
    }
  }

  #next(): K | undefined {
    const entry = this.#pick();
    if (entry === undefined) return undefined;
    const now = this.#clock.monotonic();
    this.#waiting.delete(entry.key);
    this.#running.set(entry.key, { since: now, again: undefined, isCounted: true });
    this.#count(entry.key);
    this.#metrics?.queueSeconds((now - entry.since) / 1000);
    this.#reportDepth();
    return entry.key;
  }

  #pick(): Waiting<K> | undefined {
    while (this.#waiting.size > 0) {
      const isTurnOfBackground = this.#live.size === 0 || this.#liveInRow >= liveBeforeBackground;
      const entry = isTurnOfBackground
        ? (this.#shift('Background') ?? this.#shift('Live'))
        : (this.#shift('Live') ?? this.#shift('Background'));
      if (entry === undefined) return undefined;
      if (this.#waiting.get(entry.key) !== entry) continue;
      this.#liveInRow = entry.priority === 'Background' ? 0 : this.#liveInRow + 1;
      return entry;
    }
    return undefined;
  }

  /** Takes the next key whose namespace has fewer running keys than allowed. */
  #shift(priority: Priority): Waiting<K> | undefined {
    const isOpen = (namespace: string): boolean => (this.#runningOf.get(namespace) ?? 0) < this.#mostOfNamespace;
    return (priority === 'Live' ? this.#live : this.#background).shift(isOpen);
  }

  #arm(due: number): void {
    this.#timer?.timer.cancel();
    this.#timer = { due, timer: this.#clock.schedule(milliseconds(due - this.#clock.monotonic()), () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    while (this.#delayed.nextDue <= now) this.add(this.#delayed.pop() as K);
    if (this.#delayed.size > 0) this.#arm(this.#delayed.nextDue);
  }

  #discardWaiting(): void {
    this.#waiting.clear();
    for (const run of this.#running.values()) run.again = undefined;
    this.#again = 0;
    this.#reportDepth();
  }

  #isIdle(): boolean {
    return this.#waiting.size === 0 && this.#running.size === 0;
  }

  #checkIdle(): void {
    if (!this.#shutDown || !this.#isIdle()) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #reportDepth(): void {
    this.#metrics?.depth(this.#waiting.size + this.#again);
  }
}
