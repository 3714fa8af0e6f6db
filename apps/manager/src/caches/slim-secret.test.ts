import { expect, it } from '@jest/globals';
import { Informers, type ListOptions, type ObjectList, type WatchEvent, type WatchOptions } from '@kruise/kube';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { deepFreeze, secrets, type KubeObject, type ResourceType, type Secret } from '@kruise/objects';
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

it('a Secret is held without type, data, labels and annotations', () => {
  expect(slimSecret(whole)).toStrictEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'a', uid: 'u', resourceVersion: '7' },
  });
  expect(slimSecret({ metadata: { name: 's' } })).toStrictEqual({ metadata: { name: 's' } });
});

/** Notes which part of objects is requested. */
class NotingApi extends FakeApi {
  readonly parts: unknown[] = [];

  override list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions<T>): Promise<ObjectList<T>> {
    this.parts.push(options?.part);
    return super.list(type, options);
  }

  override watch<T extends KubeObject>(type: ResourceType<T>, options: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined> {
    this.parts.push(options.part);
    return super.watch(type, options);
  }
}

it('of Secrets that are only looked up, only the metadata is requested, and no contents are held', async () => {
  const [api, clock] = [new NotingApi(), new FakeClock(epoch)];
  const { metadata, ...contents } = whole;
  const { uid: _uid, resourceVersion: _version, ...named } = metadata;
  api.seed(secrets, { ...contents, metadata: named });
  const informers = new Informers({ client: api, clock, logger: silentLogger() });
  const { store } = new Caches(informers, '').known(secrets, { fieldSelector: `type=${whole.type}` });
  const stop = new AbortController();
  const running = informers.run(stop.signal);
  await informers.waitForSync(stop.signal);
  api.seed(secrets, { ...contents, metadata: { ...named, name: 'later' } });
  await clock.settle(5);
  expect(store.list().map((secret) => [secret.metadata.name, Object.keys(secret)])).toEqual([
    ['s', ['apiVersion', 'kind', 'metadata']],
    ['later', ['apiVersion', 'kind', 'metadata']],
  ]);
  expect(JSON.stringify(store.list())).not.toContain('e30=');
  expect([...new Set(api.parts)]).toEqual(['Metadata']);
  stop.abort();
  await running;
});
