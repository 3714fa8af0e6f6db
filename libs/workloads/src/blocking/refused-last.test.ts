import { describe, expect, it } from '@jest/globals';
import { noneRefused, refusedLast } from './refused-last.ts';

const ordered = (refused: Readonly<Record<string, number>>): string =>
  refusedLast([...'dacb'], (letter) => letter, new Map(Object.entries(refused))).join('');

describe('objects with a refused write', () => {
  it.each<{ name: string; refused: Readonly<Record<string, number>>; then: string }>([
    { name: 'follow the others, which keep their order', refused: { d: 1, c: 2 }, then: 'abdc' },
    { name: 'are in the order of their last refusals', refused: { d: 7, c: 5 }, then: 'abcd' },
    { name: 'that are missing change nothing', refused: { x: 1 }, then: 'dacb' },
  ])('$name', ({ refused, then }) => {
    expect(ordered(refused)).toBe(then);
  });

  it('do not exist: the list is the same', () => {
    const list = ['b', 'a'];
    expect(refusedLast(list, (letter) => letter, noneRefused)).toBe(list);
  });
});
