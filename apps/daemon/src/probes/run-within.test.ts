import { getEventListeners } from 'node:events';
import { expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { seconds } from '@kruise/objects';
import { runWithin } from './run-within.ts';

const clock = new FakeClock();
const limit = seconds(1_000_000);
const untilAborted = (signal: AbortSignal) => new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('aborted')));

it('a run leaves neither a timer nor a listener behind, however long its limit is', async () => {
  const { signal } = new AbortController();
  for (let run = 0; run < 3; run++) expect(await runWithin({ clock, limit }, signal, () => Promise.resolve(run))).toBe(run);
  await expect(runWithin({ clock, limit }, signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect([clock.pending, getEventListeners(signal, 'abort')]).toEqual([0, []]);
});

it('a run ends with its limit, and with the signal', async () => {
  const late = runWithin({ clock, limit }, new AbortController().signal, untilAborted);
  await clock.step(limit);
  expect(await late).toBe('aborted');
  const stop = new AbortController();
  const stopped = runWithin({ clock, limit }, stop.signal, untilAborted);
  stop.abort();
  expect(await stopped).toBe('aborted');
  expect(await runWithin({ clock, limit }, stop.signal, ({ aborted }) => Promise.resolve(aborted))).toBe(true);
});
