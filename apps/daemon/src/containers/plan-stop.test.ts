import { describe, expect, it } from '@jest/globals';
import { aContainer } from '../testing.ts';
import { graceSecondsOf, hashOf, preStopOf, restartCountOf } from './kubelet-metadata.ts';
import { planStop, stopSecondsAfter } from './plan-stop.ts';

const preStop = (handler: unknown, more: Record<string, string> = {}) =>
  aContainer({
    annotations: { 'io.kubernetes.container.preStopHandler': typeof handler === 'string' ? handler : JSON.stringify(handler), ...more },
  });
const ports = { 'io.kubernetes.container.ports': JSON.stringify([{ name: 'web', containerPort: 8080 }, { containerPort: 1 }]) };

describe('what the kubelet wrote', () => {
  it.each<[Record<string, string>, number]>([
    [{}, 30],
    [{ 'io.kubernetes.pod.deletionGracePeriod': '7' }, 7],
    [{ 'io.kubernetes.pod.terminationGracePeriod': '0' }, 0],
    [{ 'io.kubernetes.pod.terminationGracePeriod': 'soon' }, 2],
    [{ 'io.kubernetes.pod.terminationGracePeriod': '-3' }, 2],
  ])('%j is a grace of %i s', (annotations, grace) => {
    expect(graceSecondsOf(aContainer({ annotations }))).toBe(grace);
  });

  it.each<[string, number]>([
    ['e3239d9e', 3810762142],
    ['', 0],
    ['xyz', 0],
    ['ffffffffffffffff', 0],
  ])('"%s" is the hash %i', (text, hash) => {
    expect(hashOf(aContainer({ annotations: { 'io.kubernetes.container.hash': text } }))).toBe(hash);
  });

  it('may be broken everywhere', () => {
    const broken = {
      'io.kubernetes.container.restartCount': 'x',
      'io.kubernetes.container.preStopHandler': '{',
      'io.kubernetes.container.ports': '{}',
    };
    const container = aContainer({ annotations: broken });
    expect([restartCountOf(container), preStopOf(container)]).toEqual([0, undefined]);
  });
});

describe('the hook', () => {
  it.each<{ name: string; handler: unknown; hook: unknown }>([
    { name: 'a command', handler: { exec: { command: ['sleep', '8'] } }, hook: { kind: 'Exec', command: ['sleep', '8'] } },
    {
      name: 'a request to a named port',
      handler: { httpGet: { path: 'stop', port: 'web', scheme: 'HTTPS', httpHeaders: [{ name: 'A', value: 'b' }] } },
      hook: { kind: 'HttpGet', request: { scheme: 'https', host: '', port: 8080, path: '/stop', headers: [['A', 'b']] } },
    },
    {
      name: 'a request to a host',
      handler: { httpGet: { host: 'h', port: 80 } },
      hook: { kind: 'HttpGet', request: { scheme: 'http', host: 'h', port: 80, path: '/', headers: [] } },
    },
    { name: 'a pause', handler: { sleep: { seconds: 3 } }, hook: { kind: 'Sleep', seconds: 3 } },
    {
      name: 'a request to a port that is not there',
      handler: { httpGet: { port: 'nope' } },
      hook: { kind: 'Invalid', why: 'port "nope" is no port of the container' },
    },
    { name: 'a command without words', handler: { exec: {} }, hook: { kind: 'Invalid', why: 'it has no command' } },
    { name: 'something else', handler: { tcpSocket: { port: 1 } }, hook: { kind: 'Invalid', why: 'handler tcpSocket is not known' } },
    { name: 'nothing', handler: {}, hook: undefined },
    { name: 'nothing but nulls', handler: { exec: null }, hook: undefined },
  ])('is $name', ({ handler, hook }) => {
    expect(planStop(preStop(handler, ports)).hook).toEqual(hook);
  });

  it('is left out without grace', () => {
    expect(planStop(preStop({ sleep: { seconds: 3 } }, { 'io.kubernetes.pod.terminationGracePeriod': '0' })).hook).toBeUndefined();
  });
});

describe('the time that is left for the end', () => {
  it.each([
    [30, 0, 30],
    [30, 8.9, 22],
    [3, 3, 2],
    [0, 0, 2],
    [5, 60, 2],
  ])('of %i s after %d s is %i s', (grace, spent, left) => {
    expect(stopSecondsAfter(grace, spent)).toBe(left);
  });
});
