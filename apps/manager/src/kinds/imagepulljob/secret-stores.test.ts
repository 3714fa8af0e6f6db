import { beforeEach, expect, it } from '@jest/globals';
import { FakeApi, FakeClock } from '@kruise/kube/testing';
import { seconds, secrets } from '@kruise/objects';
import type { Caches } from '../../caches/caches.ts';
import { SecretStores } from './secret-stores.ts';

const key = { namespace: 'default', name: 's' };
const signal = new AbortController().signal;
let api: FakeApi;
let clock: FakeClock;
let stores: SecretStores;
beforeEach(() => {
  [api, clock] = [new FakeApi(), new FakeClock()];
  api.seed(secrets, { metadata: key, type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 'e30=' } });
  const store = { get: () => api.peek(secrets, key), list: () => [], synced: true };
  stores = new SecretStores(
    { client: api, clock, caches: { part: () => ({ store }), known: () => ({ store }) } as unknown as Caches },
    'config',
  );
});

it('what was read of a secret is held while jobs use it, and no longer than two minutes after', async () => {
  for (let use = 0; use < 5; use += 1) {
    await stores.source(key, signal);
    await clock.step(seconds(50));
  }
  expect([api.calls.length, stores.held]).toEqual([1, 1]);
  await clock.step(seconds(70));
  expect(stores.held).toBe(0);
  expect((await stores.source(key, signal)).isFresh).toBe(true);
});

it('nothing is held once the controller has stopped, and no timer is left', async () => {
  const requestsOf = { source: () => [], copy: () => [] };
  const stop = stores
    .watches(requestsOf)
    .at(-1)
    ?.start(
      () => undefined,
      () => undefined,
    );
  await stores.source(key, signal);
  stop?.();
  expect([stores.held, clock.pending]).toEqual([0, 0]);
});
