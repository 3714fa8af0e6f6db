/** The request and time limit of each verb. */
import { describe, expect, it } from '@jest/globals';
import type { CriCaller, CriCallOptions } from '../cri-channel.ts';
import { containerStatus } from './container-status.ts';
import { execSync } from './exec-sync.ts';
import { imageStatus } from './image-status.ts';
import { listContainers } from './list-containers.ts';
import { listImages } from './list-images.ts';
import { podSandboxStatus } from './pod-sandbox-status.ts';
import { pullImage } from './pull-image.ts';
import { stopContainer } from './stop-container.ts';
import { version } from './version.ts';

interface Asked {
  readonly method: string;
  readonly request: object;
  readonly options: object;
}

/** Returns a runtime that gives one answer to every call. */
function answering(answer: object): { readonly cri: CriCaller; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const call: CriCaller['call'] = (method, request, options) => {
    asked.push({ method, request, options });
    return Promise.resolve(answer as never);
  };
  return { cri: { call }, asked };
}

const anonymous = { labels: {}, annotations: {} };
const running = (timeoutSeconds: number) => ({ containerId: 'c', command: ['true'], timeoutSeconds });
const verbs: readonly {
  readonly name: string;
  readonly ask: (cri: CriCaller, options?: CriCallOptions) => Promise<unknown>;
  readonly method: string;
  readonly request: object;
  readonly timeoutMs: number;
  readonly keepBytes?: number;
}[] = [
  { name: 'version', ask: (cri, options) => version(cri, options), method: 'Version', request: { version: '0.1.0' }, timeoutMs: 5000 },
  {
    name: 'listContainers',
    ask: (cri, options) => listContainers(cri, { podSandboxId: 's' }, options),
    method: 'ListContainers',
    request: { filter: { podSandboxId: 's' } },
    timeoutMs: 5000,
  },
  {
    name: 'containerStatus',
    ask: (cri, options) => containerStatus(cri, 'c', options),
    method: 'ContainerStatus',
    request: { containerId: 'c', verbose: false },
    timeoutMs: 5000,
  },
  {
    name: 'podSandboxStatus',
    ask: (cri, options) => podSandboxStatus(cri, 's', options),
    method: 'PodSandboxStatus',
    request: { podSandboxId: 's' },
    timeoutMs: 5000,
  },
  {
    name: 'stopContainer immediately',
    ask: (cri, options) => stopContainer(cri, 'c', 0, options),
    method: 'StopContainer',
    request: { containerId: 'c', timeout: 0 },
    timeoutMs: 5000,
  },
  {
    name: 'stopContainer with a grace period of 30 s',
    ask: (cri, options) => stopContainer(cri, 'c', 30, options),
    method: 'StopContainer',
    request: { containerId: 'c', timeout: 30 },
    timeoutMs: 35_000,
  },
  {
    name: 'execSync with a limit of 10 s',
    ask: (cri, options) => execSync(cri, running(10), options),
    method: 'ExecSync',
    request: { containerId: 'c', cmd: ['true'], timeout: 10 },
    timeoutMs: 15_000,
    keepBytes: 10_240,
  },
  {
    name: 'execSync without a limit',
    ask: (cri, options) => execSync(cri, running(0), options),
    method: 'ExecSync',
    request: { containerId: 'c', cmd: ['true'], timeout: 0 },
    timeoutMs: 0,
    keepBytes: 10_240,
  },
  { name: 'listImages', ask: (cri, options) => listImages(cri, options), method: 'ListImages', request: {}, timeoutMs: 0 },
  {
    name: 'imageStatus',
    ask: (cri, options) => imageStatus(cri, 'nginx:1', options),
    method: 'ImageStatus',
    request: { image: { image: 'nginx:1' } },
    timeoutMs: 10_000,
  },
  {
    name: 'pullImage',
    ask: (cri, options) => pullImage(cri, { imageRef: 'nginx:1', sandbox: anonymous }, options),
    method: 'PullImage',
    request: { image: { image: 'nginx:1' }, sandboxConfig: anonymous },
    timeoutMs: 0,
  },
];

describe.each(verbs)('$name', ({ ask, method, request, timeoutMs, keepBytes }) => {
  const kept = keepBytes === undefined ? {} : { keepBytes };
  const answer = { status: {}, info: {}, containers: [], images: [], image: null, imageRef: 'i' };

  it(`calls ${method} for ${timeoutMs} ms at most`, async () => {
    const { cri, asked } = answering(answer);
    await ask(cri);
    expect(asked).toEqual([{ method, request, options: { timeoutMs, ...kept } }]);
  });

  it('calls for as long as its caller says, until its caller aborts', async () => {
    const { cri, asked } = answering(answer);
    const options = { signal: new AbortController().signal, timeoutMs: 7 };
    await ask(cri, options);
    expect(asked).toEqual([{ method, request, options: { ...options, ...kept } }]);
  });
});

it('a filter of containers has the names of the runtime', async () => {
  const { cri, asked } = answering({ status: {}, info: { info: '{}' } });
  expect(await containerStatus(cri, 'c', { verbose: true })).toEqual({ status: {}, info: { info: '{}' } });
  expect(asked).toEqual([{ method: 'ContainerStatus', request: { containerId: 'c', verbose: true }, options: { timeoutMs: 5000 } }]);
});

it('an image that the node does not have is undefined', async () => {
  expect(await imageStatus(answering({ image: null }).cri, 'nginx:1')).toBeUndefined();
  expect(await imageStatus(answering({ image: { id: 'i' } }).cri, 'nginx:1')).toEqual({ id: 'i' });
});

it.each([
  ['ContainerStatus', (cri: CriCaller) => containerStatus(cri, 'c')],
  ['PodSandboxStatus', (cri: CriCaller) => podSandboxStatus(cri, 's')],
])('an answer to %s without a status is invalid', async (method, ask) => {
  await expect(ask(answering({ status: null, info: {} }).cri)).rejects.toMatchObject({
    name: 'CriError',
    message: `${method}: the answer has no status`,
    failure: { kind: 'InvalidAnswer' },
  });
});
