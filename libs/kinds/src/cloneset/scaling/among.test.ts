import { expect, it } from '@jest/globals';
import { among } from './among.ts';

it.each([1, 7, 8, 500])('finds texts of each list for %i questions', (questions) => {
  const isAmong = among([['a', 'b'], [], ['c']], questions);
  expect(['a', 'b', 'c', 'd', ''].map(isAmong)).toEqual([true, true, true, false, false]);
  expect(among([], questions)('a')).toBe(false);
});
