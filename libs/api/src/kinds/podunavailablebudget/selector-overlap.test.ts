import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { overlapLoosely, readLooseSelector } from './selector-overlap.ts';

const overlapsLoosely = (a: unknown, b: unknown): boolean => overlapLoosely(readLooseSelector(a), readLooseSelector(b));

const key = (operator: string, ...values: string[]) => ({
  matchExpressions: [{ key: 'a', operator, ...(values.length === 0 ? {} : { values }) }],
});
const label = (value: string) => ({ matchLabels: { a: value } });

describe('selectors overlap loosely (4.2)', () => {
  it.each<{ a: object; b: object; then: boolean }>([
    { a: key('In', 'x', 'y'), b: key('Exists'), then: true },
    { a: key('In', 'x', 'y'), b: key('In', 'y', 'z'), then: true },
    { a: key('In', 'x'), b: key('In', 'z'), then: false },
    { a: key('In', 'x', 'y'), b: key('NotIn', 'x'), then: true },
    { a: key('In', 'x', 'y'), b: key('NotIn', 'y', 'x', 'z'), then: false },
    { a: key('In', 'x'), b: key('DoesNotExist'), then: false },
    { a: key('Exists'), b: key('NotIn', 'x'), then: true },
    { a: key('Exists'), b: key('Exists'), then: true },
    { a: key('Exists'), b: key('DoesNotExist'), then: false },
    { a: key('NotIn', 'x'), b: key('NotIn', 'y'), then: true },
    { a: key('NotIn', 'x'), b: key('DoesNotExist'), then: true },
    { a: key('DoesNotExist'), b: key('DoesNotExist'), then: true },
    { a: label('x'), b: label('x'), then: true },
    { a: label('x'), b: label('y'), then: false },
    { a: label('b'), b: key('In', 'b', 'c'), then: true },
    { a: label('x'), b: { matchLabels: { a: 'x', more: 'x' } }, then: false },
    { a: label('x'), b: { matchLabels: { other: 'x' } }, then: false },
    { a: {}, b: {}, then: true },
    { a: key('In', 'x'), b: key('Near', 'x'), then: false },
    { a: key('toString', 'x'), b: key('In', 'x'), then: false },
  ])('$a and $b: $then, whichever is first', ({ a, b, then }) => {
    expect([overlapsLoosely(a, b), overlapsLoosely(b, a)]).toEqual([then, then]);
  });

  it('of several expressions about a key the last counts, and labels before expressions', () => {
    const twice = { matchExpressions: [...key('In', 'x').matchExpressions, ...key('In', 'z').matchExpressions] };
    expect([overlapsLoosely(twice, label('x')), overlapsLoosely(twice, label('z'))]).toEqual([false, true]);
    expect(overlapsLoosely({ ...label('x'), ...key('In', 'z') }, label('x'))).toBe(true);
  });

  it('takes anything', () => {
    fc.assert(fc.property(fc.anything(), fc.anything(), (a, b) => typeof overlapsLoosely(a, b) === 'boolean'));
    expect(overlapsLoosely({ matchLabels: 1, matchExpressions: [null, 3, {}] }, { matchExpressions: 'x' })).toBe(false);
    expect(overlapsLoosely(undefined, {})).toBe(false);
  });
});
