import { describe, expect, it } from '@jest/globals';
import { formatTime, instant } from '@kruise/objects';
import { expiryOf, type Expiry } from './expiry.ts';
import { now } from '../workload.testing.ts';

const ended = (seconds: number): string => formatTime(instant(now - seconds * 1000));
const kept: Expiry = { kind: 'Kept' };
const expired = (seconds: number): Expiry => ({ kind: 'Expired', because: `${seconds} s after its end` });

describe('an object with a time to live', () => {
  it.each<[string, string | undefined, number | undefined, object]>([
    ['that has not finished is kept', undefined, 10, kept],
    ['that says none is kept', ended(1000), undefined, kept],
    ['that has just finished waits', ended(0), 10, { kind: 'Waiting', left: 10_000 }],
    ['waits to the last second', ended(9), 10, { kind: 'Waiting', left: 1000 }],
    ['is over when it has passed', ended(10), 10, expired(10)],
    ['is over long after', ended(1000), 10, expired(10)],
    ['of 0 is over at once', ended(0), 0, expired(0)],
    ['whose end cannot be read waits for all of it', 'then', 10, { kind: 'Waiting', left: 10_000 }],
  ])('%s', (_name, completionTime, ttlSeconds, then) => {
    expect(expiryOf(completionTime, ttlSeconds, now)).toEqual(then);
  });
});
