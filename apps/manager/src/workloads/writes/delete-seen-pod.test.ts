import { describe, expect, it } from '@jest/globals';
import { isFailure } from '@kruise/kube';
import type { FakeApi } from '@kruise/kube/testing';
import { keyOf, pods, type Pod } from '@kruise/objects';
import { newClock, newFakeApi } from '../../module/controller-process.testing.ts';
import { deleteSeenPod } from './delete-seen-pod.ts';

const { signal } = new AbortController();
const bare: Pod = { metadata: { name: 'web-1', namespace: 'default' }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };

type Change = (api: FakeApi, seen: Pod) => unknown;

async function deleted(change: Change): Promise<readonly unknown[]> {
  const api = newFakeApi(newClock());
  const seen = api.seed(pods, bare);
  await change(api, seen);
  const reports: string[] = [];
  const outcome = await deleteSeenPod(
    api.connect('manager', {}),
    seen,
    {
      deleted: ({ metadata }) => reports.push(`deleted ${metadata.name}`),
      failed: (_error, { metadata }) => reports.push(`failed ${metadata.name}`),
    },
    signal,
  ).then(
    () => 'done',
    (error: unknown) => (isFailure(error, 'Conflict') ? 'conflict' : 'failed'),
  );
  return [outcome, api.peek(pods, keyOf(bare)) === undefined, reports];
}

describe('the deletion of a Pod by a plan', () => {
  it('deletes the version that the plan decided on', async () => {
    expect(await deleted(() => undefined)).toEqual(['done', true, ['deleted web-1']]);
  });

  it('keeps a Pod that has changed since, and reports nothing', async () => {
    const touch: Change = (api, seen) => api.seed(pods, { ...seen, metadata: { ...seen.metadata, labels: { a: 'b' } } });
    expect(await deleted(touch)).toEqual(['conflict', false, []]);
  });

  it('counts a Pod that no longer exists as deleted', async () => {
    expect(await deleted((api) => api.delete(pods, keyOf(bare), { gracePeriodSeconds: 0 }))).toEqual(['done', true, ['deleted web-1']]);
  });
});
