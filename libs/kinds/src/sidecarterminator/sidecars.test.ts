import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { areAllEnded, hasEnded, isDue, sidecarsOf } from './sidecars.ts';
import { aJobPod, byImage, byRequest, ended, failed, ignored, running, starting, type Part, type State } from './testing.ts';

const withEnv = (...env: readonly object[]): Pod => {
  const pod = aJobPod([{ name: 'a', state: running }]);
  return { ...pod, spec: { ...pod.spec, containers: [{ name: 'a', image: 'app:1', env: env as never }] } };
};
const first = 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT';
const image = 'KRUISE_TERMINATE_SIDECAR_WHEN_JOB_EXIT_WITH_IMAGE';
const ignore = 'KRUISE_TERMINATE_SIDECAR_IGNORE_EXIT_CODE';

describe('what makes a container a sidecar', () => {
  it.each<{ name: string; env: readonly object[]; sidecar: object | undefined }>([
    { name: 'true', env: [{ name: first, value: 'true' }], sidecar: { byRequest: true, isIgnored: false, image: undefined } },
    { name: 'TRUE', env: [{ name: first, value: 'TRUE' }], sidecar: { byRequest: true } },
    { name: '1', env: [{ name: first, value: '1' }], sidecar: undefined },
    { name: 'false', env: [{ name: first, value: 'false' }], sidecar: undefined },
    { name: 'a reference', env: [{ name: first, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }], sidecar: undefined },
    {
      name: 'any of two entries',
      env: [
        { name: first, value: 'no' },
        { name: first, value: 'True' },
      ],
      sidecar: { byRequest: true },
    },
    { name: 'an image', env: [{ name: image, value: 'exit:1' }], sidecar: { byRequest: false, image: 'exit:1' } },
    { name: 'no image', env: [{ name: image, value: '' }], sidecar: undefined },
    {
      name: 'an image from a reference',
      env: [{ name: image, valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      sidecar: undefined,
    },
    {
      name: 'true and no image',
      env: [
        { name: first, value: 'true' },
        { name: image, value: '' },
      ],
      sidecar: { byRequest: true, image: undefined },
    },
    { name: 'no environment', env: [], sidecar: undefined },
    {
      name: 'the first of two images',
      env: [
        { name: image, value: 'a:1' },
        { name: image, value: 'b:1' },
      ],
      sidecar: { image: 'a:1' },
    },
    {
      name: 'both',
      env: [
        { name: first, value: 'true' },
        { name: image, value: 'a:1' },
      ],
      sidecar: { byRequest: true, image: 'a:1' },
    },
    {
      name: 'an exit code that does not count',
      env: [
        { name: first, value: 'true' },
        { name: ignore, value: 'TRUE' },
      ],
      sidecar: { isIgnored: true },
    },
    {
      name: 'an exit code that counts',
      env: [
        { name: first, value: 'true' },
        { name: ignore, value: 'false' },
      ],
      sidecar: { isIgnored: false },
    },
    { name: 'the third environment alone', env: [{ name: ignore, value: 'true' }], sidecar: undefined },
    {
      name: 'the third beside an image',
      env: [
        { name: image, value: 'a:1' },
        { name: ignore, value: 'true' },
      ],
      sidecar: { isIgnored: false },
    },
  ])('$name', ({ env, sidecar }) => {
    const found = sidecarsOf(withEnv(...env))[0];
    if (sidecar === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(sidecar);
  });
});

describe('sidecars must end', () => {
  const main = (state: State, name = 'main'): Part => ({ name, state });
  const sidecar = (state: State, name = 'log'): Part => ({ name, state, env: byRequest });
  const job = (parts: readonly Part[], shape: Parameters<typeof aJobPod>[1] = {}): Pod => aJobPod(parts, shape);
  const onFailure = { restartPolicy: 'OnFailure' };

  it.each<{ name: string; pod: Pod; due: boolean }>([
    { name: 'when the main container has ended', pod: job([main(ended), sidecar(running)]), due: true },
    { name: 'when it failed and is not restarted', pod: job([main(failed), sidecar(running)]), due: true },
    { name: 'not while one of two main containers runs', pod: job([main(ended), main(running, 'b'), sidecar(running)]), due: false },
    { name: 'with OnFailure when it succeeded', pod: job([main(ended), sidecar(running)], onFailure), due: true },
    { name: 'with OnFailure not when it failed', pod: job([main(failed), sidecar(running)], onFailure), due: false },
    {
      name: 'with OnFailure not while it waits for its restart',
      pod: job([main({ kind: 'waiting', ranBefore: true }), sidecar(running)], onFailure),
      due: false,
    },
    {
      name: 'with OnFailure not when one of two failed',
      pod: job([main(ended), main(failed, 'b'), sidecar(running)], onFailure),
      due: false,
    },
    { name: 'not with Always', pod: job([main(ended), sidecar(running)], { restartPolicy: 'Always' }), due: false },
    { name: 'not in a Pod that is Pending', pod: job([main(ended), sidecar(running)], { phase: 'Pending' }), due: false },
    { name: 'not in a Pod that is being deleted', pod: job([main(ended), sidecar(running)], { terminating: true }), due: false },
    { name: 'not when they have all ended', pod: job([main(ended), sidecar(ended)]), due: false },
    { name: 'when one of two has ended', pod: job([main(ended), sidecar(ended), sidecar(running, 'b')]), due: true },
    { name: 'while they are starting', pod: job([main(ended), sidecar(starting)]), due: true },
    { name: 'not while statuses are missing', pod: job([main(ended), sidecar({ kind: 'unknown' })]), due: false },
    { name: 'not in a Pod without sidecars', pod: job([main(ended), main(running, 'b')]), due: false },
    { name: 'in a Pod of sidecars alone', pod: job([sidecar(running)]), due: true },
    { name: 'in a Pod that is done', pod: job([main(ended), { ...sidecar(running), env: ignored }], { phase: 'Succeeded' }), due: true },
    { name: 'when they are those of virtual nodes', pod: job([main(ended), { ...sidecar(running), env: byImage }]), due: true },
  ])('$name', ({ pod, due }) => {
    expect(isDue(pod)).toBe(due);
  });

  it('not before the status says how far the Pod is', () => {
    const pod = job([main(ended), sidecar(running)]);
    expect(isDue({ ...pod, status: { containerStatuses: pod.status?.containerStatuses ?? [] } })).toBe(false);
  });

  it('not before there is a status', () => {
    const { status: _status, ...pod } = job([main(ended), sidecar(running)]);
    expect(isDue(pod)).toBe(false);
  });
});

describe('a container has ended', () => {
  const one = (state: State): Pod => aJobPod([{ name: 'a', state }]);
  const { status: _status, ...bare } = one(ended);
  const silent: Pod = { ...bare, status: { containerStatuses: [{ name: 'a', image: '', imageID: '', ready: false, restartCount: 0 }] } };
  it.each<[string, Pod, boolean]>([
    ['when it is terminated', one(ended), true],
    ['also when it failed', one(failed), true],
    ['not while it runs', one(running), false],
    ['not while it waits to run again', one({ kind: 'waiting', ranBefore: true }), false],
    ['not when its status says nothing', silent, false],
    ['not when it has no status', { ...bare, status: {} }, false],
    ['not when the Pod has none', bare, false],
  ])('%s', (_name, pod, then) => {
    expect(hasEnded(pod, 'a')).toBe(then);
    expect(areAllEnded(pod, [{ name: 'a' }])).toBe(then);
  });
});
