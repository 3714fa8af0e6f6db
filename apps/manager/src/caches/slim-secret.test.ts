import { expect, it } from '@jest/globals';
import { Informers } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { deepFreeze, secrets, type Secret } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import { Caches } from './caches.ts';
import { slimSecret } from './slim-secret.ts';

const whole: Secret = deepFreeze({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'a', uid: 'u', resourceVersion: '7', labels: { team: 'shop' }, annotations: { note: 'e30=' } },
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': 'e30=' },
});

it('a Secret is held without data, labels and annotations', () => {
  expect(slimSecret(whole)).toStrictEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'a', uid: 'u', resourceVersion: '7' },
    type: 'kubernetes.io/dockerconfigjson',
  });
  expect(slimSecret({ metadata: { name: 's' } })).toStrictEqual({ metadata: { name: 's' } });
});

it('a store of Secrets that are only looked for holds no contents', async () => {
  const [client, clock] = [new FakeApi(), new FakeClock(epoch)];
  client.seed(secrets, { metadata: { name: 's', namespace: 'a' }, type: whole.type!, data: whole.data! });
  const informers = new Informers({ client, clock, logger: silentLogger() });
  const { store } = new Caches(informers, '').known(secrets, { fieldSelector: `type=${whole.type}` });
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await informers.waitForSync(stop.signal);
  expect(store.list().map(({ metadata, type, data }) => [metadata.name, type, data])).toEqual([['s', whole.type, undefined]]);
  stop.abort();
  await running;
});
