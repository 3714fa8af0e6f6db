import { describe, expect, it } from '@jest/globals';
import { parseEnvOutput, parseVerboseEnvironment } from './parse-environment.ts';

const reportOf = (info: unknown): unknown => {
  const environment = parseVerboseEnvironment({ info: typeof info === 'string' ? info : JSON.stringify(info) });
  return environment === undefined ? undefined : Object.fromEntries(environment);
};

describe('the verbose status of a container', () => {
  it.each<[string, unknown, unknown]>([
    ['what the kubelet asked for', { config: { envs: [{ key: 'A', value: '1' }, { key: 'B' }] } }, { A: '1', B: '' }],
    [
      'what the process got',
      { runtimeSpec: { process: { env: ['PATH=/bin', 'A=x=y', 'broken', '=no name'] } } },
      { PATH: '/bin', A: 'x=y' },
    ],
    [
      'both, the first wins',
      { config: { envs: [{ key: 'A', value: '1' }] }, runtimeSpec: { process: { env: ['A=2', 'B=3'] } } },
      { A: '1', B: '3' },
    ],
    ['a value of several lines', { config: { envs: [{ key: 'A', value: 'x\nB=y' }] } }, { A: 'x\nB=y' }],
    [
      'what can be read between what cannot',
      {
        config: { envs: [null, 'A=1', { key: 5, value: 'x' }, { key: 'A', value: 7 }] },
        runtimeSpec: { process: { env: [7, null, 'B=2'] } },
      },
      { A: '', B: '2' },
    ],
    ['no environment', { pid: 7 }, undefined],
    ['something else than JSON', 'nope', undefined],
    ['JSON of another shape', { config: [], runtimeSpec: { process: { env: {} } } }, undefined],
  ])('contains %s', (_name, info, environment) => {
    expect(reportOf(info)).toEqual(environment);
  });

  it('may contain nothing', () => {
    expect(parseVerboseEnvironment({})).toBeUndefined();
  });
});

describe('the output of env', () => {
  it.each<[string, string, object]>([
    ['the first = ends the name', 'A=x=y\nB=\n', { A: 'x=y', B: '' }],
    ['each line that starts with a name and = is a variable', 'PATH=/bin\nJAVA_HOME=/jdk\n', { PATH: '/bin', JAVA_HOME: '/jdk' }],
    ['a line without assignment goes on with the value before', 'A=first\nsecond line\nB=2\n', { A: 'first\nsecond line', B: '2' }],
    ['a line that does not start with a name goes on with the value before', 'A=if\n x=1\nB=2\n', { A: 'if\n x=1', B: '2' }],
    ['the first line goes on with nothing', '1=x\nB=2\n', { '1': 'x', B: '2' }],
    ['nothing', '', {}],
  ])('%s', (_name, text, environment) => {
    expect(Object.fromEntries(parseEnvOutput(text))).toEqual(environment);
  });
});
