import { describe, expect, it } from '@jest/globals';
import type { CriCaller, CriChannel, CriMethod } from '@kruise/cri';
import { FakeClock } from '@kruise/kube/testing';
import { seconds } from '@kruise/objects';
import type { ImageTask } from './task/image-task.ts';
import { pullOnce } from './pull-once.ts';

const task: ImageTask = {
  image: 'nginx',
  tag: '1',
  version: 0,
  ifNotPresent: true,
  timeout: seconds(600),
  tries: 1,
  labels: {},
  annotations: {},
  pullSecrets: [],
  owners: [],
};

/** Returns a runtime without images that records the time limits of its calls. */
function anEmptyRuntime() {
  const calls: (readonly [CriMethod, number])[] = [];
  const caller: CriCaller = {
    call: <Response extends object>(method: CriMethod, _request: object, { timeoutMs }: { readonly timeoutMs: number }) => {
      calls.push([method, timeoutMs]);
      return Promise.resolve({ image: null, images: [], imageRef: 'x' } as unknown as Response);
    },
  };
  const first = { name: 'containerd', version: '1', socket: '', connection: caller as CriChannel };
  return { calls, runtimes: { first, trouble: undefined, missed: () => undefined } };
}

const credentials = {
  candidates: () => Promise.resolve({ credentials: [], faults: [] }),
  refused: () => undefined,
  missed: () => undefined,
};
const signal = new AbortController().signal;

describe('an attempt', () => {
  it('has no limit for a single call: a busy runtime may take the whole time of the attempt', async () => {
    const { calls, runtimes } = anEmptyRuntime();
    const pull = { task, imageRef: 'nginx:1', repository: 'docker.io/library/nginx' };
    expect(await pullOnce(pull, { runtimes, credentials, clock: new FakeClock() }, signal)).toEqual({ imageId: '' });
    expect(calls).toEqual([
      ['ImageStatus', 0],
      ['ListImages', 0],
      ['PullImage', 0],
      ['ImageStatus', 0],
      ['ListImages', 0],
    ]);
  });

  it.each([
    ['nginx:1', 'docker.io/library/nginx', true],
    ['team/app:1', 'docker.io/team/app', true],
    ['r.io/app:1', 'r.io/app', false],
    ['localhost:5000/app@sha256:1', 'localhost:5000/app', false],
  ])('for %s searches the list of all images: only names without a registry may be completed in other ways', async (...of) => {
    const [imageRef, repository, looks] = of;
    const { calls, runtimes } = anEmptyRuntime();
    await pullOnce({ task, imageRef, repository }, { runtimes, credentials, clock: new FakeClock() }, signal);
    expect(calls.some(([method]) => method === 'ListImages')).toBe(looks);
  });
});
