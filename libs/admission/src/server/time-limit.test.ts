import { describe, expect, it } from '@jest/globals';
import { timeLimitOf } from './time-limit.ts';

describe('the time for an answer', () => {
  it.each<[string, number]>([
    ['/mutate-pod?timeout=10s', 9500],
    ['/mutate-pod?timeout=1s', 900],
    ['/mutate-pod?a=b&timeout=2500ms', 2250],
    ['/mutate-pod?timeout=30s', 29_500],
    ['/mutate-pod?timeout=10h', 29_500],
    ['/mutate-pod', 29_500],
    ['/mutate-pod?timeout=', 29_500],
    ['/mutate-pod?timeout=0s', 29_500],
    ['/mutate-pod?timeout=-5s', 29_500],
    ['/mutate-pod?timeout=soon', 29_500],
    ['/mutate-pod?timeout=%', 29_500],
  ])('of %s is %d ms', (url, limitMs) => {
    expect(timeLimitOf(url)).toBe(limitMs);
  });
});
