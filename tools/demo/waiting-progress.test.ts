import { expect, it } from '@jest/globals';
import { createProgress } from '@kruise/testing';
import { waitingProgress } from './waiting-progress.ts';

it('a step that takes long says so while it runs, and how long it took when it has ended', async () => {
  const lines: string[] = [];
  let heard = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (heard = resolve));
  const write = (line: string): void => {
    lines.push(line);
    if (line.includes('waiting: the chart is installed')) heard();
  };
  const result = await waitingProgress(createProgress(write), 1).step('the chart is installed', async () => {
    await waiting;
    return 'done';
  });
  expect(result).toBe('done');
  expect(lines.at(-1)).toMatch(/\] the chart is installed \(\d+\.\d s\)$/);
});

it('a step that fails is not said to be waiting afterwards', async () => {
  const lines: string[] = [];
  const failing = waitingProgress(
    createProgress((line) => lines.push(line)),
    1_000_000,
  ).step('never', () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(lines).toEqual([]);
});
