import { expect, it } from '@jest/globals';
import { parseCommand, type MutateCommand } from './arguments.ts';

const defaults: MutateCommand = { kind: 'Run', chosen: [], since: undefined, jobs: 2, json: undefined, list: false };

it.each<[readonly string[], Partial<MutateCommand>]>([
  [[], {}],
  [['libs/pods', 'a.ts'], { chosen: ['libs/pods', 'a.ts'] }],
  [['--since', 'HEAD', '--jobs', '1', '--json', 'out.json'], { since: 'HEAD', jobs: 1, json: 'out.json' }],
  [['--list'], { list: true }],
])('%j', (args, given) => {
  expect(parseCommand(args, 2)).toEqual({ ...defaults, ...given });
});

it.each([['0'], ['x'], ['1.5'], ['100']])('--jobs %s is refused, with what is allowed', (jobs) => {
  expect(parseCommand(['--jobs', jobs], 2)).toEqual({ kind: 'Wrong', problem: `--jobs: ${jobs} must be a whole number from 1 to 99` });
});

it('an option that is not there is refused', () => {
  expect(parseCommand(['--all'], 2)).toMatchObject({ kind: 'Wrong' });
});

it('--help requests help', () => {
  expect(parseCommand(['--help'], 2)).toEqual({ kind: 'Help' });
});
