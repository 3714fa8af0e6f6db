import { spawn } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { skipUnless } from '../../skip-unless.ts';
import { findCommand } from './host-commands.ts';
import { parseEnvironments, parsePs, statByPs } from './process-status-command.ts';

it('state and start time are read, however wide the columns are', () => {
  expect(parsePs('Ss   Thu Nov  6 01:26:44 2026    \n')).toEqual({ state: 'S', threads: 1, startTime: 'Thu_Nov_6_01:26:44_2026' });
  expect(parsePs('')).toBeUndefined();
});

it('processes are found by a variable of their environment', () => {
  const text = '  12 sleep 60 DIR=/a HOME=/\n 345 sleep 60 DIR=/a/b\n   6 sleep DIR=/a\n';
  expect(parseEnvironments(text, 'DIR=/a')).toEqual([12, 6]);
});

skipUnless(
  findCommand('ps') !== undefined,
  'needs ps',
  it,
)('a running process has a start time that stays, and none once it has ended', async () => {
  const child = spawn('sleep', ['60']);
  const stat = statByPs(child.pid ?? 0);
  expect(stat).toMatchObject({ state: expect.stringMatching(/^[SRD]$/), startTime: expect.stringMatching(/_\d{4}$/) });
  expect(statByPs(child.pid ?? 0)?.startTime).toBe(stat?.startTime);
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill();
  await ended;
  expect(statByPs(child.pid ?? 0)).toBeUndefined();
});
