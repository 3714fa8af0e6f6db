import { describe, expect, it } from '@jest/globals';
import { parseCommand, usage, type Command } from './arguments.ts';
import { scenarioNames } from './scenarios.ts';

const parse = (line: string): Command => parseCommand(line.split(' ').filter(Boolean));
const all = {
  kind: 'Run',
  scenarios: [
    'store',
    'client',
    'manager',
    'rollout',
    'stateful',
    'podstates',
    'spread',
    'pernode',
    'cron',
    'united',
    'budget',
    'distribute',
    'hostile',
    'sidecars',
    'daemon',
    'images',
    'pulljob',
    'admission',
    'exporter',
  ],
  sizes: {},
  write: false,
} as const;

describe('parseCommand', () => {
  it.each<[string, Command]>([
    ['', all],
    ['recreate', { ...all, scenarios: ['recreate'] }],
    ['churn --minutes 5 --rate 100', { ...all, scenarios: ['churn'], sizes: { minutes: 5, rate: 100 } }],
    ['manager client', { ...all, scenarios: ['client', 'manager'] }],
    ['manager --pods 50 --stored 70', { ...all, scenarios: ['manager'], sizes: { pods: 50, stored: 70 } }],
    ['pulljob --nodes 20', { ...all, scenarios: ['pulljob'], sizes: { nodes: 20 } }],
    ['budget distribute --pods 100 --namespaces 20', { ...all, scenarios: ['budget', 'distribute'], sizes: { pods: 100, namespaces: 20 } }],
    ['admission --reviews 200000', { ...all, scenarios: ['admission'], sizes: { reviews: 200_000 } }],
    ['--write exporter', { ...all, scenarios: ['exporter'], write: true }],
    ['--json /f --profile /d', { ...all, jsonFile: '/f', profileFolder: '/d' }],
    ['store --help', { kind: 'Help' }],
  ])('understands "%s"', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it.each([
    [
      'stroe',
      /unknown scenario "stroe": must be one of store, client, manager, rollout, stateful, podstates, spread, pernode, cron, united, budget, distribute, hostile, sidecars, daemon, images, pulljob, admission, exporter, churn, recreate$/,
    ],
    ['--pods 0', /--pods "0": must be a number/],
    ['--stored many', /--stored "many"/],
    ['--podz 3', /podz/],
  ])('refuses "%s"', (line, message) => {
    expect(parse(line)).toEqual({ kind: 'Wrong', message: expect.stringMatching(message) });
  });
});

it('the usage names every scenario, and the default of every size that it reads', () => {
  for (const name of scenarioNames) expect(usage).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  expect(usage).toMatch(/^ {2}--pods N +Pods: rollout 1000, stateful 1000, podstates 5000, /m);
  expect(usage).toMatch(/^ {2}churn .*; only when it is named$/m);
});
