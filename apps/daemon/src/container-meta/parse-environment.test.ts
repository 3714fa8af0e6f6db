import { describe, expect, it } from '@jest/globals';
import { parseEnvOutput, parseVerboseEnvironment } from './parse-environment.ts';

const told = (info: unknown): unknown => {
  const environment = parseVerboseEnvironment({ info: typeof info === 'string' ? info : JSON.stringify(info) });
  return environment === undefined ? undefined : Object.fromEntries(environment);
};

describe('the verbose status of a container', () => {
  it.each<[string, unknown, unknown]>([
    ['what the kubelet asked for', { config: { envs: [{ key: 'A', value: '1' }, { key: 'B' }] } }, { A: '1', B: '' }],
    ['what the process got', { runtimeSpec: { process: { env: ['PATH=/bin', 'A=x=y', 'broken'] } } }, { PATH: '/bin', A: 'x=y' }],
    [
      'both, the first wins',
      { config: { envs: [{ key: 'A', value: '1' }] }, runtimeSpec: { process: { env: ['A=2', 'B=3'] } } },
      { A: '1', B: '3' },
    ],
    ['a value of several lines', { config: { envs: [{ key: 'A', value: 'x\nB=y' }] } }, { A: 'x\nB=y' }],
    ['no environment', { pid: 7 }, undefined],
    ['something else than JSON', 'nope', undefined],
    ['JSON of another shape', { config: [], runtimeSpec: { process: { env: {} } } }, undefined],
  ])('tells %s', (_name, info, environment) => {
    expect(told(info)).toEqual(environment);
  });

  it('may tell nothing', () => {
    expect(parseVerboseEnvironment({})).toBeUndefined();
  });
});

describe('the output of env', () => {
  it.each<[string, string, object]>([
    ['the first = ends the name', 'A=x=y\nB=\n', { A: 'x=y', B: '' }],
    ['a line without assignment goes on with the value before', 'A=first\nsecond line\nB=2\n', { A: 'first\nsecond line', B: '2' }],
    ['nothing', '', {}],
  ])('%s', (_name, text, environment) => {
    expect(Object.fromEntries(parseEnvOutput(text))).toEqual(environment);
  });
});
