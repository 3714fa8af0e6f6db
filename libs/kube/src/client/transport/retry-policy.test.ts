import { expect, it } from '@jest/globals';
import { milliseconds } from '@kruise/objects';
import { RateLimit } from '../rate-limit.ts';
import { retryAfterFailure, type FailedAttempt } from './retry-policy.ts';

const lost = (reach: 'NotSent' | 'Refused' | 'Unknown', more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  idempotent: false,
  attempts: 1,
  remainingMs: 30_000,
  failure: { kind: 'NoAnswer', reach },
  ...more,
});
const answered = (code: number, retryAfter: number | undefined, more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  ...lost('Unknown', more),
  failure: { kind: 'Answer', code, retryAfter: retryAfter === undefined ? undefined : milliseconds(retryAfter) },
});

it.each<[string, FailedAttempt, number | undefined]>([
  ['a write that may have taken effect is never repeated', lost('Unknown'), undefined],
  ['a write that was not sent is repeated', lost('NotSent'), 50],
  ['a write that was refused unread is repeated', lost('Refused'), 50],
  ['a read whose answer was lost is repeated', lost('Unknown', { idempotent: true }), 50],
  ['the wait doubles', lost('NotSent', { attempts: 4 }), 400],
  ['the fifth attempt is the last', lost('NotSent', { attempts: 5 }), undefined],
  ['no wait beyond the time of the call', lost('NotSent', { remainingMs: 40 }), undefined],
  ['no wait that takes all of its time', lost('NotSent', { remainingMs: 50 }), undefined],
  ['a wait that leaves some of its time', lost('NotSent', { remainingMs: 51 }), 50],
  ['429 waits as told, for a write too', answered(429, 2_000), 2_000],
  ['503 waits as told', answered(503, 1_000), 1_000],
  ['503 without a wait is an answer', answered(503, undefined, { idempotent: true }), undefined],
  ['500 with a wait is an answer', answered(500, 1_000, { idempotent: true }), undefined],
  ['504 is an answer', answered(504, 1_000), undefined],
  ['a wait longer than the call is an answer', answered(429, 31_000), undefined],
  ['ten times throttled is enough', answered(429, 1, { attempts: 10 }), undefined],
])('%s', (_name, attempt, wait) => {
  expect(retryAfterFailure(attempt, 1)).toBe(wait);
});

it('jitter shortens a wait by at most half', () => {
  expect(retryAfterFailure(lost('NotSent'), 0)).toBe(25);
});

it('a rate limit lets a burst pass, then one call each interval', () => {
  let now = 0;
  const limit = new RateLimit(10, 2, () => now);
  expect([limit.reserve(), limit.reserve(), limit.reserve(), limit.reserve()]).toEqual([0, 0, 100, 200]);
  now = 250;
  expect(limit.reserve()).toBe(50);
  now = 10_000;
  expect([limit.reserve(), limit.reserve(), limit.reserve()]).toEqual([0, 0, 100]);
});

it('a rate limit uses monotonic time', () => {
  const limit = new RateLimit(0.001, 1);
  expect(limit.reserve()).toBe(0);
  expect(limit.reserve()).toBeGreaterThan(900_000);
});

it('a call waits for its token, and a cancelled one returns it', async () => {
  const limit = new RateLimit(10, 1, () => 0);
  const waits: number[] = [];
  const sleep = (ms: number): Promise<void> => (waits.push(ms) === 2 ? Promise.reject(new Error('cancelled')) : Promise.resolve());
  await limit.take({ sleep });
  expect(waits).toEqual([]);
  await limit.take({ sleep });
  await expect(limit.take({ sleep })).rejects.toThrow('cancelled');
  await limit.take({ sleep });
  expect(waits).toEqual([100, 200, 200]);
});
