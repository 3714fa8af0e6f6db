import { describe, expect, it } from '@jest/globals';
import { ApiError, isFailure, isRefusal } from './api-error.ts';

describe('an ApiError', () => {
  it('keeps the fields of the answer', () => {
    const cause = new Error('socket');
    const causes = [{ field: 'spec', reason: 'NamespaceTerminating', message: 'm' }];
    const error = new ApiError('refused', { kind: 'Forbidden' }, { code: 403, reason: 'Forbidden', causes, cause });
    expect({ ...error, text: String(error), cause: error.cause }).toEqual({
      name: 'ApiError',
      text: 'ApiError: refused',
      failure: { kind: 'Forbidden' },
      said: 'refused',
      code: 403,
      reason: 'Forbidden',
      causes,
      cause,
    });
  });

  it('says what was answered without the request', () => {
    const error = new ApiError('GET /api: no', { kind: 'Forbidden' }, { asked: 'GET /api' });
    expect([error.message, error.said]).toEqual(['GET /api: no', 'no']);
  });

  it('has neither code nor reason nor causes when there was no answer', () => {
    const { code, reason, causes, cause } = new ApiError('aborted', { kind: 'Aborted' });
    expect({ code, reason, causes, cause }).toEqual({ code: undefined, reason: '', causes: [], cause: undefined });
  });
});

describe('isFailure', () => {
  const gone = new ApiError('gone', { kind: 'Gone' });
  it.each([
    { error: gone, kinds: ['Gone'], is: true },
    { error: gone, kinds: ['NotFound', 'Gone'], is: true },
    { error: gone, kinds: ['NotFound', 'Conflict'], is: false },
    { error: gone, kinds: [], is: false },
    { error: new Error('Gone'), kinds: ['Gone'], is: false },
    { error: { failure: { kind: 'Gone' } }, kinds: ['Gone'], is: false },
    { error: undefined, kinds: ['Gone'], is: false },
  ] as const)('of $error among $kinds is $is', ({ error, kinds, is }) => {
    expect(isFailure(error, ...kinds)).toBe(is);
  });
});

describe('isRefusal', () => {
  it.each([
    { kind: 'BadRequest', is: true },
    { kind: 'Invalid', is: true },
    { kind: 'Forbidden', is: true },
    { kind: 'Conflict', is: false },
    { kind: 'NotFound', is: false },
    { kind: 'AlreadyExists', is: false },
    { kind: 'ServerUnavailable', is: false },
  ] as const)('of a $kind is $is', ({ kind, is }) => {
    expect(isRefusal(new ApiError('no', { kind } as ApiError['failure']))).toBe(is);
  });

  it('is never a refusal when the error is no answer', () => {
    expect(isRefusal(new Error('Invalid'))).toBe(false);
  });
});
