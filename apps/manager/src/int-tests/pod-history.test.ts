import { expect, it } from '@jest/globals';
import { apiFailures, FakeApi } from '@kruise/kube/testing';
import { type Pod, pods } from '@kruise/objects';
import { PodHistory } from './pod-history.testing.ts';

const key = { namespace: 'default', name: 'web' };
const pod = (labels: Readonly<Record<string, string>>): Pod => ({ metadata: { ...key, labels }, spec: { containers: [] } });
const stateOf = ({ metadata }: Pod): string | undefined => metadata.labels?.['state'];

it('waits for a change that a list already shows', async () => {
  const api = new FakeApi();
  await api.create(pods, pod({ state: 'old' }));
  await using history = await PodHistory.begin(api, 'default');
  await history.untilNow();
  api.holdWatches();
  await api.patch(pods, key, { metadata: { labels: { state: 'new' } } }, { type: 'merge' });
  const observed = history.untilNow();
  expect(await Promise.race([observed, new Promise((resolve) => setTimeout(resolve, 50, 'waits'))])).toBe('waits');
  api.releaseWatches();
  expect((await observed).sequence('web', stateOf)).toEqual(['old', 'new']);
});

it('waits for a deletion and for the Pod that replaces it', async () => {
  const api = new FakeApi();
  await api.create(pods, pod({ state: 'old' }));
  await using history = await PodHistory.begin(api, 'default');
  await history.untilNow();
  api.holdWatches();
  await api.delete(pods, key);
  await api.create(pods, pod({ state: 'new' }));
  const observed = history.untilNow();
  api.releaseWatches();
  expect((await observed).range(() => true)).toEqual({ lowest: 0, highest: 1 });
  expect((await history.untilNow()).sequence('web', stateOf)).toEqual(['old', 'new']);
});

it('fails when the watch ended', async () => {
  const api = new FakeApi();
  const history = await PodHistory.begin(api, 'default');
  await history.untilNow();
  api.endWatches(apiFailures.unreachable());
  await expect(history.untilNow()).rejects.toThrow('the watch of Pods ended');
  await expect(history[Symbol.asyncDispose]()).rejects.toThrow('the watch of Pods ended');
});
