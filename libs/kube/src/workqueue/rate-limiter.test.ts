import { milliseconds } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import { controllerRateLimiter, FairBucketLimiter, ItemExponentialLimiter, MaxOfLimiter, TokenBucket } from './rate-limiter.ts';

describe('ItemExponentialLimiter', () => {
  it('doubles the wait with every failure of a key, each key for itself, until it is forgotten', () => {
    const limiter = new ItemExponentialLimiter(milliseconds(1), milliseconds(1000));
    expect([1, 2, 3, 4, 5].map(() => limiter.when('one'))).toEqual([1, 2, 4, 8, 16]);
    expect([limiter.when('two'), limiter.when('two')]).toEqual([1, 2]);
    expect([limiter.retries('one'), limiter.retries('two'), limiter.retries('three')]).toEqual([5, 2, 0]);
    limiter.forget('one');
    expect([limiter.retries('one'), limiter.when('one')]).toEqual([0, 1]);
  });

  it('waits at most the cap, also after thousands of failures', () => {
    const limiter = new ItemExponentialLimiter(milliseconds(1), milliseconds(1000));
    for (let failure = 0; failure < 5; failure++) limiter.when('one');
    expect(limiter.when('one')).toBe(32);
    for (let failure = 0; failure < 5000; failure++) limiter.when('one');
    expect(limiter.when('one')).toBe(1000);
  });
});

describe('TokenBucket', () => {
  it('lets the burst pass immediately and then spaces callers by the rate', () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, 10, 3);
    expect([1, 2, 3, 4, 5, 6].map(() => bucket.reserve())).toEqual([0, 0, 0, 100, 200, 300]);
    clock.freeze(350);
    expect([1, 2].map(() => bucket.reserve())).toEqual([50, 150]);
  });

  it('refills with time up to the burst and not beyond', () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket(clock, 1 / 300, 25);
    for (let taken = 0; taken < 25; taken++) expect(bucket.tryTake()).toBe(true);
    expect(bucket.tryTake()).toBe(false);
    clock.freeze(299_999);
    expect(bucket.tryTake()).toBe(false);
    clock.freeze(1);
    expect([bucket.tryTake(), bucket.tryTake()]).toEqual([true, false]);
    clock.freeze(300_000 * 1000);
    expect(Array.from({ length: 26 }, () => bucket.tryTake())).toEqual([...Array<boolean>(25).fill(true), false]);
  });

  it.each([
    [0, 1],
    [1, 0],
    [Number.NaN, 1],
  ])('refuses qps %p with burst %p', (qps, burst) => {
    expect(() => new TokenBucket(new FakeClock(), qps, burst)).toThrow(RangeError);
  });
});

describe('FairBucketLimiter', () => {
  const limiter = (clock = new FakeClock()) => new FairBucketLimiter(clock, 10, 3);
  const waits = (of: FairBucketLimiter, keys: readonly string[]) => keys.map((key) => of.when(key));

  it('gives one namespace the rate of a bucket', () => {
    const clock = new FakeClock();
    const all = limiter(clock);
    expect(waits(all, ['n/a', 'n/b', 'n/c', 'n/d', 'n/e', 'n/f'])).toEqual([0, 0, 0, 100, 200, 300]);
    clock.freeze(350);
    expect(waits(all, ['n/a', 'n/b'])).toEqual([50, 150]);
    clock.freeze(1000);
    expect(waits(all, ['n/a', 'n/b', 'n/c', 'n/d'])).toEqual([0, 0, 0, 100]);
  });

  it('does not let the first retry of a namespace wait for 3,000 of another', () => {
    const all = controllerRateLimiter(new FakeClock());
    for (let index = 0; index < 3000; index++) all.when(`attacker/a${index}`);
    expect([all.when('attacker/last'), all.when('victim/a'), all.when('victim/b')]).toEqual([290_100, 200, 400]);
  });

  it('takes one token for a key that comes back before its retry is due', () => {
    const clock = new FakeClock();
    const all = limiter(clock);
    expect(waits(all, ['n/a', 'n/b', 'n/c', 'n/d', 'n/e'])).toEqual([0, 0, 0, 100, 200]);
    clock.freeze(50);
    expect(waits(all, ['n/e', 'n/e', 'n/f'])).toEqual([150, 150, 250]);
  });

  it('spreads the retries of each namespace over the turns of all waiting ones', () => {
    const all = limiter();
    expect(waits(all, ['a/1', 'a/2', 'a/3', 'a/4'])).toEqual([0, 0, 0, 100]);
    expect(waits(all, ['b/1', 'c/1', 'b/2', 'a/5', 'c/2'])).toEqual([200, 300, 400, 400, 600]);
  });

  it('no longer counts a namespace once its retries are due', () => {
    const clock = new FakeClock();
    const all = limiter(clock);
    waits(all, ['a/1', 'a/2', 'a/3', 'a/4', ...Array.from({ length: 40 }, (_, index) => `b/${index}`)]);
    clock.freeze(1000);
    expect(waits(all, ['c/1', 'd/1'])).toEqual([200, 300]);
  });

  it('separates cluster-scoped objects from those of namespaces', () => {
    const all = limiter();
    waits(all, ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6']);
    expect(waits(all, ['node-1', 'node-2'])).toEqual([200, 400]);
  });

  it('keeps the rate for 1,000 namespaces with one object each', () => {
    const all = limiter();
    waits(all, ['x/1', 'x/2', 'x/3']);
    const due = Array.from({ length: 1000 }, (_, index) => all.when(`n${index}/a`));
    const perSecond = Math.max(...Array.from({ length: 100 }, (_, second) => due.filter((ms) => Math.floor(ms / 1000) === second).length));
    expect(perSecond).toBeLessThanOrEqual(10);
  });
});

describe('MaxOfLimiter', () => {
  it('returns the longer wait, and counts and forgets in all limiters', () => {
    const limiter = new MaxOfLimiter([
      new ItemExponentialLimiter(milliseconds(1), milliseconds(1000)),
      new ItemExponentialLimiter(milliseconds(5), milliseconds(10)),
    ]);
    expect([1, 2, 3, 4, 5].map(() => limiter.when('one'))).toEqual([5, 10, 10, 10, 16]);
    expect(limiter.retries('one')).toBe(5);
    limiter.forget('one');
    expect(limiter.when('one')).toBe(5);
  });

  it('is by default 5 ms doubling to 1000 s, and 100 at once then 10 a second', () => {
    const limiter = controllerRateLimiter(new FakeClock());
    expect([1, 2, 3].map(() => limiter.when('a'))).toEqual([5, 10, 20]);
    for (let key = 0; key < 97; key++) expect(limiter.when(`k${key}`)).toBe(5);
    expect([limiter.when('x'), limiter.when('y')]).toEqual([100, 200]);
    for (let failure = 0; failure < 40; failure++) limiter.when('a');
    expect(limiter.when('a')).toBe(1_000_000);
  });
});
