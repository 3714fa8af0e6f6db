import { expect, it } from '@jest/globals';
import { longestFirst } from './longest-first.ts';

it('files run in the order of how long they take, equal ones by path', () => {
  const seconds: Readonly<Record<string, number>> = { long: 9, last: -1 };
  const sequencer = new (longestFirst((path) => seconds[path] ?? 1))();
  const given = ['last', 'b', 'long', 'a'].map((path) => ({ path }));
  expect(sequencer.sort(given).map(({ path }) => path)).toEqual(['long', 'a', 'b', 'last']);
});
