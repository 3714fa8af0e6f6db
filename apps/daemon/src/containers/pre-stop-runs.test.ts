import { expect, it } from '@jest/globals';
import { FakeClock } from '@kruise/kube/testing';
import { milliseconds, seconds } from '@kruise/objects';
import { PreStopRuns } from './pre-stop-runs.ts';

it('hooks that have run are known until their container has ended, or for a day', async () => {
  const clock = new FakeClock();
  const runs = new PreStopRuns(clock);
  runs.record('a', milliseconds(1500));
  runs.record('b', milliseconds(0));
  expect([runs.spentOn('a'), runs.spentOn('b'), runs.spentOn('c')]).toEqual([1500, 0, undefined]);
  runs.forget('b');
  expect(runs.spentOn('b')).toBeUndefined();
  await clock.step(seconds(86_399));
  runs.record('c', milliseconds(1));
  expect(runs.spentOn('a')).toBe(1500);
  await clock.step(seconds(1));
  runs.record('d', milliseconds(1));
  expect([runs.spentOn('a'), runs.spentOn('c')]).toEqual([undefined, 1]);
});
