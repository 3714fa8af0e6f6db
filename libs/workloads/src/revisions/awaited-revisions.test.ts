import { expect, it } from '@jest/globals';
import { AwaitedRevisions } from './awaited-revisions.ts';

it('a revision that is written in two passes in a row makes the third one wait, until it is shown', () => {
  const awaited = new AwaitedRevisions();
  expect([awaited.written('a'), awaited.written('a'), awaited.written('b'), awaited.written('a')]).toEqual([0, 1000, 0, 1000]);
  awaited.shown('a');
  expect([awaited.written('a'), awaited.written('b')]).toEqual([0, 1000]);
});
