import { milliseconds, parseKey, type Milliseconds } from '@kruise/objects';
import type { Clock } from '../clock.ts';

/** Decides how long a failed key waits. */
export interface RateLimiter<K extends string = string> {
  /** Counts one more failure of `key` and returns how long it must wait; 0 is no wait. */
  when(key: K): Milliseconds;
  /** Drops the failures of `key`. */
  forget(key: K): void;
  /** Returns the number of failures of `key` since it was last forgotten. */
  retries(key: K): number;
}

/** Waits `base` x 2^failures, at most `cap`, for each key separately. An entry is removed when its key is forgotten. */
export class ItemExponentialLimiter<K extends string = string> implements RateLimiter<K> {
  readonly #failures = new Map<K, number>();
  readonly #base: number;
  readonly #cap: number;

  constructor(base: Milliseconds, cap: Milliseconds) {
    this.#base = base;
    this.#cap = cap;
  }

  when(key: K): Milliseconds {
    const failures = this.retries(key);
    this.#failures.set(key, failures + 1);
    return milliseconds(Math.min(this.#base * 2 ** failures, this.#cap));
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }

  retries(key: K): number {
    return this.#failures.get(key) ?? 0;
  }
}

/** A token bucket: `burst` tokens immediately, then `qps` a second. The wait grows with the number of waiting callers. */
export class TokenBucket {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  /** Creates a full bucket. @throws RangeError when `qps` or `burst` is not above 0 */
  constructor(clock: Pick<Clock, 'monotonic'>, qps: number, burst: number) {
    if (!(qps > 0) || !(burst > 0)) throw new RangeError(`a token bucket needs qps and burst above 0, got ${qps} and ${burst}`);
    this.#clock = clock;
    this.#perMs = qps / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = clock.monotonic();
  }

  /** Takes a token, a future one when there is none now, and returns how long to wait for it. */
  reserve(): Milliseconds {
    this.#fill();
    this.#tokens -= 1;
    return milliseconds(this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs);
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#fill();
    // A small tolerance: a refill that is due exactly now must not fail because of rounding.
    if (this.#tokens < 1 - 1e-9) return false;
    this.#tokens -= 1;
    return true;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
}

/**
 * One bucket for all keys, whose future tokens the namespaces of the keys share. With n waiting namespaces, each gets a retry every n / `qps`
 * seconds, however many other keys have failed before. Only keys of the same namespace wait for each other.
 *
 * A namespace that is added later does not change waits that were already given. Retries may therefore exceed `qps` for a while: with n namespaces up
 * to ln(n) + 1 times.
 */
export class FairBucketLimiter<K extends string = string> implements RateLimiter<K> {
  readonly #bucket: TokenBucket;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #intervalMs: number;
  /** When the last retry of each namespace is due. A namespace is removed when that time has passed. */
  readonly #lastDue = new Map<string, number>();
  /** When the retry of each key is due. A key that an event brings back earlier and that fails again takes no other token. */
  readonly #dueOf = new Map<K, number>();
  #prunedAt = 0;

  /** Creates a full bucket. @throws RangeError when `qps` or `burst` is not above 0 */
  constructor(clock: Pick<Clock, 'monotonic'>, qps: number, burst: number) {
    this.#bucket = new TokenBucket(clock, qps, burst);
    this.#clock = clock;
    this.#intervalMs = 1000 / qps;
  }

  when(key: K): Milliseconds {
    const now = this.#clock.monotonic();
    this.#prune(now);
    const former = this.#dueOf.get(key) ?? 0;
    if (former > now) return milliseconds(former - now);
    const ofAll = this.#bucket.reserve();
    if (ofAll === 0) return ofAll;
    const { namespace } = parseKey(key);
    const lastDue = Math.max(now, this.#lastDue.get(namespace) ?? 0);
    this.#lastDue.set(namespace, lastDue);
    const due = Math.min(now + ofAll, lastDue + this.#lastDue.size * this.#intervalMs);
    this.#lastDue.set(namespace, due);
    this.#dueOf.set(key, due);
    return milliseconds(due - now);
  }

  forget(): void {
    // Tokens are not given back.
  }

  retries(): number {
    return 0;
  }

  #prune(now: number): void {
    if (now - this.#prunedAt < this.#intervalMs) return;
    this.#prunedAt = now;
    for (const [namespace, due] of this.#lastDue) if (due <= now) this.#lastDue.delete(namespace);
    for (const [key, due] of this.#dueOf) if (due <= now) this.#dueOf.delete(key);
  }
}

/** Returns the longest wait of several limiters. Each of them counts every call. */
export class MaxOfLimiter<K extends string = string> implements RateLimiter<K> {
  readonly #limiters: readonly RateLimiter<K>[];

  constructor(limiters: readonly RateLimiter<K>[]) {
    this.#limiters = limiters;
  }

  when(key: K): Milliseconds {
    return milliseconds(Math.max(0, ...this.#limiters.map((limiter) => limiter.when(key))));
  }

  forget(key: K): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  retries(key: K): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.retries(key)));
  }
}

/** The values of `--rate-limiter-*`. */
export interface RetryLimits {
  /** First wait of a key; 5 ms when absent. */
  readonly baseDelay?: Milliseconds;
  /** Longest wait of a key; 1000 s when absent. */
  readonly maxDelay?: Milliseconds;
  /** Retries a second of all keys; 10 when absent. */
  readonly qps?: number;
  /** Burst of retries of all keys; 100 when absent. */
  readonly burst?: number;
}

/**
 * Returns the limiter of a controller's queue: the longer of the key's own exponential wait and that of a bucket of all keys, which namespaces share.
 * @see spec/manager.md 5.6
 */
export function controllerRateLimiter<K extends string = string>(
  clock: Pick<Clock, 'monotonic'>,
  limits: RetryLimits = {},
): RateLimiter<K> {
  const { baseDelay = milliseconds(5), maxDelay = milliseconds(1_000_000), qps = 10, burst = 100 } = limits;
  return new MaxOfLimiter<K>([new ItemExponentialLimiter<K>(baseDelay, maxDelay), new FairBucketLimiter<K>(clock, qps, burst)]);
}
