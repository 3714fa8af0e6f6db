import { milliseconds } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../clock/fake-clock.ts';
import { BucketLimiter, controllerRateLimiter, ItemExponentialLimiter, MaxOfLimiter, TokenBucket } from './rate-limiter.ts';

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
  it('gives the burst at once and then spreads those who wait by the rate', () => {
    const clock = new FakeClock();
    const limiter = new BucketLimiter(new TokenBucket(clock, 10, 3));
    expect([1, 2, 3, 4, 5, 6].map(() => limiter.when())).toEqual([0, 0, 0, 100, 200, 300]);
    clock.freeze(350);
    expect([1, 2].map(() => limiter.when())).toEqual([50, 150]);
  });

  it('fills with time up to the burst and not beyond', () => {
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

describe('MaxOfLimiter', () => {
  it('takes the longer wait, counts in all and forgets in all', () => {
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
