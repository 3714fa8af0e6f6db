import { spawn } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { endProcess, hasEnded, identify, isRunning, parseStat, processesMarked, signalProcess } from './process-identity.ts';

const sleeper = (env: Record<string, string> = {}) => {
  const child = spawn('sleep', ['60'], { env: { PATH: process.env.PATH ?? '', ...env } });
  const identity = identify(child.pid ?? 0);
  if (identity === undefined) throw new Error('sleep has not started');
  return identity;
};

describe('a process by pid and start time', () => {
  it('is read from a stat whose command name contains blanks and brackets', () => {
    const fields = ['S', ...Array.from({ length: 18 }, (_, i) => String(i + 4)), '4711', '23'];
    expect(parseStat(`42 (a) b (c) ${fields.join(' ')}`)).toEqual({ state: 'S', threads: 20, startTime: '4711' });
    expect(parseStat('')).toBeUndefined();
  });

  it.each([
    { state: 'S', threads: 1, ended: false },
    { state: 'Z', threads: 0, ended: true },
    { state: 'Z', threads: 1, ended: true },
    { state: 'Z', threads: 7, ended: false },
    { state: 'X', threads: 0, ended: true },
  ])('in state $state with $threads threads has ended: $ended', ({ state, threads, ended }) => {
    expect(hasEnded({ state, threads, startTime: '1' })).toBe(ended);
  });

  it('is ended, and does not exist when that returns', async () => {
    const identity = sleeper();
    expect(isRunning(identity)).toBe(true);
    await endProcess(identity, 5_000);
    expect(isRunning(identity)).toBe(false);
  });

  it('with another start time is another process and is not touched', async () => {
    const identity = sleeper();
    signalProcess({ ...identity, startTime: '1' }, 'SIGKILL');
    expect(isRunning(identity)).toBe(true);
    await endProcess(identity, 0);
  });

  it('is found by its mark', async () => {
    const mark = `mark-${process.pid}-${performance.now()}`;
    const identity = sleeper({ KRUISE_TEST_MARK: mark });
    expect(processesMarked('KRUISE_TEST_MARK', mark)).toEqual([identity]);
    await endProcess(identity, 5_000);
    expect(processesMarked('KRUISE_TEST_MARK', mark)).toEqual([]);
  });
});
