import { describe, expect, it } from '@jest/globals';
import { fillAbsent, fillEmpty } from './fill.ts';

describe('defaults', () => {
  it('are for members that are absent or null', () => {
    expect(fillAbsent({ a: null, b: '', c: 0, e: 1 }, { a: 1, b: 1, c: 1, d: 1 })).toEqual({ a: 1, b: '', c: 0, d: 1, e: 1 });
  });

  it('are for empty texts as well, where those mean that nothing is given', () => {
    expect(fillEmpty({ a: null, b: '', c: 0 }, { a: 1, b: 1, c: 1, d: 1 })).toEqual({ a: 1, b: 1, c: 0, d: 1 });
  });

  it('leave an object itself in which all is given', () => {
    const given = { a: 0, b: 'x' };
    expect(fillAbsent(given, { a: 1, b: 1 })).toBe(given);
  });
});
