import { expect, it } from '@jest/globals';
import { workloadSpreads } from '@kruise/api';
import { ApiError } from '@kruise/kube';
import { FakeApi } from '@kruise/kube/testing';
import { objectsOfNamespace } from './objects-of-namespace.ts';

const { signal } = new AbortController();

function anApi(): FakeApi {
  const api = new FakeApi();
  const spec = { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, subsets: [] };
  for (const [namespace, name] of [
    ['a', 'one'],
    ['a', 'two'],
    ['b', 'three'],
  ] as const)
    api.seed(workloadSpreads, { metadata: { namespace, name }, spec });
  return api;
}

it('are those of the namespace, as the server has them at this moment', async () => {
  const api = anApi();
  const read = await objectsOfNamespace(api, workloadSpreads, 'a', signal);
  expect(read.kind === 'Read' ? read.objects.map(({ metadata }) => metadata.name) : read).toEqual(['one', 'two']);
  expect(await objectsOfNamespace(api, workloadSpreads, 'none', signal)).toEqual({ kind: 'Read', objects: [] });
  expect(api.calls.map(({ verb, key }) => [verb, key.namespace])).toEqual([
    ['list', 'a'],
    ['list', 'none'],
  ]);
});

it('that cannot be read say why, for whoever judges beside them', async () => {
  const api = anApi();
  api.faults = {
    before: () => {
      throw new ApiError('the server is away', { kind: 'Unreachable', cause: undefined });
    },
  };
  expect(await objectsOfNamespace(api, workloadSpreads, 'a', signal)).toEqual({ kind: 'Failed', why: 'the server is away' });
});

it('are not waited for by a request that is over', async () => {
  const over = AbortSignal.abort();
  expect(await objectsOfNamespace(anApi(), workloadSpreads, 'a', over)).toMatchObject({ kind: 'Failed' });
});

it('do not hide a fault of the program', async () => {
  const client = { list: () => Promise.reject(new TypeError('a fault')) };
  await expect(objectsOfNamespace(client, workloadSpreads, 'a', signal)).rejects.toThrow('a fault');
});
