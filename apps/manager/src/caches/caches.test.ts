import { expect, it } from '@jest/globals';
import { Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import type { KubeObject } from '@kruise/objects';
import { Caches } from './caches.ts';
import { builtInDaemonSets, builtInStatefulSets, deployments, replicaSets } from '@kruise/workloads';

it.each([deployments, replicaSets, builtInStatefulSets, builtInDaemonSets])('of $kind objects no containers are held', async (type) => {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };
  api.seed(type, { metadata: { name: 'web', namespace: 'a' }, spec: { template } } as KubeObject);
  const informers = new Informers({ client: api, clock, logger: silentLogger() });
  const { store, reflector } = new Caches(informers, '').of(type);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await reflector.waitForSync(stop.signal);
  expect(store.list().map(({ spec }) => spec?.template)).toEqual([{ metadata: { labels: { app: 'web' } }, digest: expect.any(String) }]);
  stop.abort();
  await running;
});
