import { describe, expect, it } from '@jest/globals';
import { memoized, memoizedPair, memoizedWith } from './memoized.ts';

describe('memoized', () => {
  it('computes once for an object, also when the result is undefined', () => {
    const asked: object[] = [];
    const compute = memoized((key: object) => void asked.push(key));
    const [a, b] = [{}, {}];
    for (const key of [a, b, a, b]) expect(compute(key)).toBeUndefined();
    expect(asked).toEqual([a, b]);
  });

  it('computes again for an object whose result is not kept', () => {
    let calls = 0;
    const compute = memoized((_key: object) => ++calls, Object.isFrozen);
    const [open, frozen] = [{}, Object.freeze({})];
    expect([compute(open), compute(open), compute(frozen), compute(frozen)]).toEqual([1, 2, 3, 3]);
  });

  it('does not remember a computation that throws', () => {
    let calls = 0;
    const compute = memoized((_key: object) => {
      calls++;
      if (calls === 1) throw new Error('not yet');
      return calls;
    });
    const key = {};
    expect(() => compute(key)).toThrow('not yet');
    expect(compute(key)).toBe(2);
  });
});

it('memoizedPair computes once for each ordered pair', () => {
  const pairs: string[] = [];
  const compute = memoizedPair((a: { name: string }, b: { name: string }) => pairs.push(a.name + b.name));
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  expect([compute(a, b), compute(b, a), compute(a, b), compute(a, a)]).toEqual([1, 2, 1, 3]);
  expect(pairs).toEqual(['ab', 'ba', 'aa']);
});

describe('memoizedWith', () => {
  const asked: string[] = [];
  const compute = memoizedWith((key: { name: string }, { more }: { input: number; more: string }) => asked.push(key.name + more), {
    inputsOf: ({ input }) => input,
    hasInputs: ({ input }, held) => input === held,
    isKept: (value, key, { more }) => value > 0 && key.name !== 'c' && more !== 'never',
  });
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];

  it('computes once for an object and equal inputs, whatever else the argument contains', () => {
    expect([compute(a, { input: 1, more: 'x' }), compute(b, { input: 1, more: 'x' }), compute(a, { input: 1, more: 'y' })]).toEqual([
      1, 2, 1,
    ]);
    expect(asked).toEqual(['ax', 'bx']);
  });

  it('remembers the result for the latest inputs', () => {
    expect([compute(a, { input: 2, more: 'x' }), compute(a, { input: 2, more: 'x' }), compute(a, { input: 1, more: 'x' })]).toEqual([
      3, 3, 4,
    ]);
  });

  it('computes again what is not kept, and keeps the former result', () => {
    expect([compute(a, { input: 5, more: 'never' }), compute(a, { input: 5, more: 'never' }), compute(a, { input: 1, more: '' })]).toEqual([
      5, 6, 4,
    ]);
    expect([compute(c, { input: 1, more: '' }), compute(c, { input: 1, more: '' })]).toEqual([7, 8]);
  });
});
