import { expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from './turns.ts';

it('work is done one piece at a time, in order, and a failure delays no other', async () => {
  const turns = new Turns();
  const done: string[] = [];
  const piece = (name: string, turnsOfLoop: number) => async (): Promise<string> => {
    done.push(`${name} begins`);
    for (let turn = 0; turn < turnsOfLoop; turn++) await nextTurn();
    done.push(`${name} ends`);
    if (name === 'b') throw new Error('b fails');
    return name;
  };
  const all = await Promise.allSettled([turns.take(piece('a', 20)), turns.take(piece('b', 5)), turns.take(piece('c', 0))]);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(done).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});
