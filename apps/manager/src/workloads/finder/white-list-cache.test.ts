/** White lists as they are cached. @see spec/manager.md 5.9 */
import { expect, it } from '@jest/globals';
import { persistentPodStateWhiteListKey } from '@kruise/api';
import { Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { configMaps, deepEqual, type KubeObject } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { Caches } from '../../caches/caches.ts';
import { whiteListOf } from './white-list-cache.ts';

const { signal } = new AbortController();
const listing = (kind: string, name = 'kruise-configuration'): KubeObject =>
  ({
    metadata: { name, namespace: 'kruise-system' },
    data: { [persistentPodStateWhiteListKey]: JSON.stringify({ workloads: [{ group: 'g.example.com', version: 'v1', kind }] }) },
  }) as KubeObject;

it('is that of the shared ConfigMap alone, read once for each version of it', async () => {
  const api = new FakeApi();
  api.seed(configMaps, listing('Other', 'other'));
  const informers = new Informers({ client: api, clock: new FakeClock(), logger: silentLogger() });
  const list = whiteListOf(new Caches(informers, ''), 'kruise-system', persistentPodStateWhiteListKey);
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await list.waitForSync(signal);
  expect(list.reading()).toEqual({ kind: 'Read', kinds: [] });
  for (const kind of ['GameSet', 'ShopSet']) {
    api.seed(configMaps, listing(kind));
    const expected = { kind: 'Read', kinds: [{ group: 'g.example.com', version: 'v1', kind }] };
    await eventually(() => deepEqual(list.reading(), expected));
    expect(list.reading()).toBe(list.reading());
  }
  const watched = api.calls.filter(({ verb }) => verb === 'watch').map(({ type, key }) => [type?.kind, key.namespace]);
  expect(watched).toEqual([['ConfigMap', 'kruise-system']]);
  stop.abort();
  await running;
});
