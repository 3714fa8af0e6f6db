import { expect, it } from '@jest/globals';
import { addToList } from './add-to-list.ts';

it('adds items to the list of their key, in their order', () => {
  const lists = new Map<string, number[]>();
  addToList(lists, 'a', 1);
  addToList(lists, 'b', 2);
  addToList(lists, 'a', 3);
  expect([...lists]).toEqual([
    ['a', [1, 3]],
    ['b', [2]],
  ]);
});
