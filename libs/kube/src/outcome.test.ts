import { milliseconds } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.ts';
import { afterFailure, requeueOrSettle, retry, settled, type Outcome } from './outcome.ts';

const refused = new ApiError('no', { kind: 'Forbidden' });

describe('after a failure', () => {
  it.each<{ name: string; error: unknown; outcome: Outcome }>([
    {
      name: 'another client wrote first',
      error: new ApiError('modified', { kind: 'Conflict' }),
      outcome: { kind: 'Requeue', after: milliseconds(20) },
    },
    { name: 'the server refused', error: refused, outcome: { kind: 'Retry', error: refused } },
    { name: 'the program failed', error: new TypeError('x'), outcome: { kind: 'Retry', error: new TypeError('x') } },
    { name: 'a value was thrown that is no Error', error: 'oops', outcome: { kind: 'Retry', error: new Error('oops') } },
  ])('when $name: $outcome.kind', ({ error, outcome }) => {
    expect(afterFailure(error)).toEqual(outcome);
  });

  it('the same error is kept', () => {
    const outcome = retry(refused);
    expect(outcome.kind === 'Retry' && outcome.error).toBe(refused);
  });
});

it('the next pass is when time requires it, or never', () => {
  expect(requeueOrSettle(undefined)).toBe(settled);
  expect(requeueOrSettle(milliseconds(5))).toEqual({ kind: 'Requeue', after: 5 });
});
