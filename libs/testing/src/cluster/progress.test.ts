import { expect, it } from '@jest/globals';
import { createProgress } from './progress.ts';

it('progress shows the time since its beginning, and the duration of a step', async () => {
  const written: string[] = [];
  let now = 1_000;
  const progress = createProgress(
    (line) => written.push(line),
    () => now,
  );
  now = 3_500;
  progress.note('begun');
  const result = await progress.step('done', async () => {
    now = 12_000;
    return 7;
  });
  expect(result).toBe(7);
  expect(written).toEqual(['[  2.5 s] begun', '[ 11.0 s] done (8.5 s)']);
});
