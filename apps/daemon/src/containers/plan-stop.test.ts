import { describe, expect, it } from '@jest/globals';
import { aContainer } from '../testing.ts';
import {
  containerNameOf,
  graceSecondsOf,
  hashOf,
  podKeyOf,
  podSelector,
  podUidOf,
  portsOf,
  preStopOf,
  restartCountOf,
} from './kubelet-metadata.ts';
import { planStop, stopSecondsAfter } from './plan-stop.ts';

const preStop = (handler: unknown, more: Record<string, string> = {}) =>
  aContainer({
    annotations: { 'io.kubernetes.container.preStopHandler': typeof handler === 'string' ? handler : JSON.stringify(handler), ...more },
  });
const ports = {
  'io.kubernetes.container.ports': JSON.stringify([
    { name: 'web', containerPort: 8080 },
    { name: '8o', containerPort: 81 },
    { name: 'p80', containerPort: 82 },
    { containerPort: 1 },
  ]),
};

describe('what the kubelet wrote', () => {
  it('shows whose a container is', () => {
    const container = aContainer();
    expect(podUidOf(container)).toBe('uid-web');
    expect(podKeyOf(container)).toEqual({ namespace: 'default', name: 'web' });
    expect(containerNameOf(container)).toBe('app');
    expect(podSelector('uid-web')).toEqual({ 'io.kubernetes.pod.uid': 'uid-web' });
  });

  it('is absent on containers that others created', () => {
    const foreign = { labels: {}, annotations: {} };
    expect([podUidOf(foreign), podKeyOf(foreign), containerNameOf(foreign)]).toEqual(['', { namespace: '', name: '' }, '']);
    expect([hashOf(foreign), restartCountOf(foreign), graceSecondsOf(foreign)]).toEqual([0, 0, 2]);
    expect([portsOf(foreign), preStopOf(foreign)]).toEqual([[], undefined]);
  });

  it.each<[Record<string, string>, number]>([
    [{}, 30],
    [{ 'io.kubernetes.pod.deletionGracePeriod': '7' }, 7],
    [{ 'io.kubernetes.pod.terminationGracePeriod': '0' }, 0],
    [{ 'io.kubernetes.pod.terminationGracePeriod': 'soon' }, 2],
    [{ 'io.kubernetes.pod.terminationGracePeriod': '-3' }, 2],
    [{ 'io.kubernetes.pod.terminationGracePeriod': '30s' }, 2],
  ])('%j is a grace period of %i s', (annotations, grace) => {
    expect(graceSecondsOf(aContainer({ annotations }))).toBe(grace);
  });

  it.each<[string, number]>([
    ['e3239d9e', 3810762142],
    ['', 0],
    ['xyz', 0],
    ['0x12', 0],
    ['12 ', 0],
    ['ffffffffffffffff', 0],
  ])('"%s" is the hash %i', (text, hash) => {
    expect(hashOf(aContainer({ annotations: { 'io.kubernetes.container.hash': text } }))).toBe(hash);
  });

  it('may be malformed everywhere', () => {
    const broken = {
      'io.kubernetes.container.restartCount': 'x',
      'io.kubernetes.container.preStopHandler': '{',
      'io.kubernetes.container.ports': '{}',
    };
    const container = aContainer({ annotations: broken });
    expect([restartCountOf(container), preStopOf(container), portsOf(container)]).toEqual([0, undefined, []]);
  });

  it('has the ports that can be read', () => {
    const written = JSON.stringify([null, 'web', { name: 5, containerPort: '80' }, { name: 'web', containerPort: 8080 }]);
    expect(portsOf(aContainer({ annotations: { 'io.kubernetes.container.ports': written } }))).toEqual([
      { name: '', containerPort: 0 },
      { name: 'web', containerPort: 8080 },
    ]);
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
      name: 'a request to a missing port',
      handler: { httpGet: { port: 'nope' } },
      hook: { kind: 'Invalid', why: 'port "nope" is not a port of the container' },
    },
    {
      name: 'a request with the headers that have a name',
      handler: { httpGet: { port: 80, httpHeaders: [null, { value: 'x' }, { name: 'A', value: 'b' }] } },
      hook: { kind: 'HttpGet', request: { scheme: 'http', host: '', port: 80, path: '/', headers: [['A', 'b']] } },
    },
    {
      name: 'a request of a whole path',
      handler: { httpGet: { path: '/stop', port: 80 } },
      hook: { kind: 'HttpGet', request: { scheme: 'http', host: '', port: 80, path: '/stop', headers: [] } },
    },
    {
      name: 'a request of a path that ends with a slash',
      handler: { httpGet: { path: 'stop/', port: 80 } },
      hook: { kind: 'HttpGet', request: { scheme: 'http', host: '', port: 80, path: '/stop/', headers: [] } },
    },
    {
      name: 'a request to no port',
      handler: { httpGet: { path: '/' } },
      hook: { kind: 'Invalid', why: 'port undefined is not a port of the container' },
    },
    {
      name: 'a request to port ""',
      handler: { httpGet: { port: '' } },
      hook: { kind: 'Invalid', why: 'port "" is not a port of the container' },
    },
    {
      name: 'a command with the words that are strings',
      handler: { exec: { command: ['sleep', 8] } },
      hook: { kind: 'Exec', command: ['sleep'] },
    },
    { name: 'a command without words', handler: { exec: {} }, hook: { kind: 'Invalid', why: 'it has no command' } },
    { name: 'something else', handler: { tcpSocket: { port: 1 } }, hook: { kind: 'Invalid', why: 'handler tcpSocket is not known' } },
    { name: 'nothing', handler: {}, hook: undefined },
    { name: 'only nulls', handler: { exec: null }, hook: undefined },
  ])('is $name', ({ handler, hook }) => {
    expect(planStop(preStop(handler, ports)).hook).toEqual(hook);
  });

  it.each<[unknown, number | undefined]>([
    [0, undefined],
    [1, 1],
    [65_535, 65_535],
    [65_536, undefined],
    ['8080', 8080],
    ['8o', 81],
    ['p80', 82],
  ])('of port %j goes to %j', (port, asked) => {
    expect(planStop(preStop({ httpGet: { port } }, ports)).hook).toMatchObject(
      asked === undefined ? { kind: 'Invalid' } : { kind: 'HttpGet', request: { port: asked } },
    );
  });

  it('is skipped without a grace period', () => {
    expect(planStop(preStop({ sleep: { seconds: 3 } }, { 'io.kubernetes.pod.terminationGracePeriod': '0' })).hook).toBeUndefined();
  });
});

describe('the remaining time for the stop', () => {
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
