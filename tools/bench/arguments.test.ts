import { describe, expect, it } from '@jest/globals';
import { parseCommand, type Command } from './arguments.ts';

const parse = (line: string): Command => parseCommand(line.split(' ').filter(Boolean));
const all = {
  kind: 'Run',
  parts: [
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
  namespaces: 1000,
  stored: 10_000,
  reviews: 20_000,
  minutes: 60,
  rate: 20,
} as const;

describe('parseCommand', () => {
  it.each<[string, Command]>([
    ['', all],
    ['all', all],
    ['manager all', all],
    ['recreate', { ...all, parts: ['recreate'] }],
    ['churn --minutes 5 --rate 100', { ...all, parts: ['churn'], minutes: 5, rate: 100 }],
    ['manager client', { ...all, parts: ['client', 'manager'] }],
    ['manager --pods 50 --stored 70', { ...all, parts: ['manager'], pods: 50, stored: 70 }],
    ['pulljob --nodes 20', { ...all, parts: ['pulljob'], nodes: 20 }],
    ['budget distribute --pods 100 --namespaces 20', { ...all, parts: ['budget', 'distribute'], pods: 100, namespaces: 20 }],
    ['admission --reviews 200000', { ...all, parts: ['admission'], reviews: 200_000 }],
    ['--json /f --profile /d', { ...all, jsonFile: '/f', profileFolder: '/d' }],
    ['store --help', { kind: 'Help' }],
  ])('understands "%s"', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it.each([
    [
      'stroe',
      /unknown part "stroe": must be one of store, client, manager, rollout, stateful, podstates, spread, pernode, cron, united, budget, distribute, hostile, sidecars, daemon, images, pulljob, admission, exporter, churn, recreate, all/,
    ],
    ['--pods 0', /--pods "0": must be a number/],
    ['--stored many', /--stored "many"/],
    ['--podz 3', /podz/],
  ])('refuses "%s"', (line, message) => {
    expect(parse(line)).toEqual({ kind: 'Wrong', message: expect.stringMatching(message) });
  });
});
