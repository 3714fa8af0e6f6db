import { describe, expect, it, jest } from '@jest/globals';
import { checkServing } from './readme.testing.ts';

describe('the example of the README', () => {
  const deleted = { ready: true, terminating: true };

  it('holds for every Pod, ready or terminating', () => {
    const cases = [true, false].flatMap((ready) => [true, false].map((terminating) => ({ ready, terminating })));
    expect(() => checkServing(cases)).not.toThrow();
  });

  it('fails when its cases do not cover the checked situation', () => {
    // The quick tier compares nothing.
    const env = jest.replaceProperty(process, 'env', {});
    expect(() => checkServing([deleted])).toThrow('"a Pod serves" 0 of at least 1 times');
    env.restore();
  });
});
