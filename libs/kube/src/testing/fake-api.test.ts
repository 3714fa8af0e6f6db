import { configMaps, pods, type ConfigMap, type Pod, type ResourceType } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import { FakeApi } from './fake-api.ts';
import { failures } from './fake-server.ts';
import { describesClientContract } from './client-contract.ts';

describe('FakeApi', () => {
  const api = new FakeApi();
  describesClientContract(() => api);
});

const configMap = (name: string): ConfigMap => ({ metadata: { name, namespace: 'default' } });
const key = { namespace: 'default', name: 'a' };

describe('faults of FakeApi', () => {
  it('fail a call before it takes effect or after, on one connection only', async () => {
    const api = new FakeApi();
    const shaky = api.connect('shaky');
    shaky.faults.before = () => {
      throw failures.unreachable();
    };
    await expect(shaky.create(configMaps, configMap('a'))).rejects.toMatchObject({ failure: { kind: 'Unreachable' } });
    expect(api.peek(configMaps, key)).toBeUndefined();
    shaky.faults = {
      after: () => {
        throw failures.unreachable();
      },
    };
    await expect(shaky.create(configMaps, configMap('a'))).rejects.toMatchObject({ failure: { kind: 'Unreachable' } });
    expect(await api.get(configMaps, key)).toMatchObject({ metadata: { name: 'a' } });
    expect(api.calls.map((call) => `${call.from} ${call.verb}`)).toEqual(['shaky create', 'shaky create', ' get']);
  });

  it('delay a call that never arrives when its caller aborts meanwhile', async () => {
    const api = new FakeApi();
    let arrive = (): void => undefined;
    api.faults.before = () => new Promise<void>((resolve) => (arrive = resolve));
    const stop = new AbortController();
    const creating = api.create(configMaps, configMap('a'), { signal: stop.signal });
    stop.abort();
    await expect(creating).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
    arrive();
    await new Promise((resolve) => setImmediate(resolve));
    expect(api.peek(configMaps, key)).toBeUndefined();
  });

  it('delay watches, end them, and expire their version', async () => {
    const api = new FakeApi();
    const stop = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      for await (const event of api.watch(configMaps, { signal: stop.signal, resourceVersion: '1' })) seen.push(event.type);
    })();
    const settle = () => new Promise((resolve) => setImmediate(resolve));
    await settle();
    api.holdWatches();
    await api.create(configMaps, configMap('a'));
    await settle();
    expect(seen).toEqual([]);
    api.releaseWatches();
    await settle();
    expect(seen).toEqual(['ADDED']);
    api.endWatches(failures.unreachable());
    await expect(watching).rejects.toMatchObject({ failure: { kind: 'Unreachable' } });
    api.compact();
    const late = api.watch(configMaps, { signal: stop.signal, resourceVersion: '1' })[Symbol.asyncIterator]();
    await expect(late.next()).rejects.toMatchObject({ failure: { kind: 'Gone' } });
  });
});

describe('peekAll of FakeApi', () => {
  it('returns the same list until one of its objects changes', () => {
    const api = new FakeApi();
    const namesOf = (listed: readonly ConfigMap[]): readonly string[] => listed.map(({ metadata }) => metadata.name);
    api.seed(configMaps, configMap('b'));
    const first = api.peekAll(configMaps, 'default');
    api.seed(pods, { metadata: { name: 'a', namespace: 'default' }, spec: { containers: [] } });
    expect(api.peekAll(configMaps, 'default')).toBe(first);
    api.seed(configMaps, configMap('a'));
    expect([namesOf(first), namesOf(api.peekAll(configMaps, 'default')), namesOf(api.peekAll(configMaps, 'other'))]).toEqual([
      ['b'],
      ['a', 'b'],
      [],
    ]);
  });
});

it('FakeApi delays the watches of one kind, and not those of others', async () => {
  const api = new FakeApi();
  const stop = new AbortController();
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const seen: string[] = [];
  const watch = async (type: ResourceType): Promise<void> => {
    for await (const event of api.watch(type, { signal: stop.signal, resourceVersion: '1' })) seen.push(`${event.type} ${type.kind}`);
  };
  const watching = Promise.allSettled([watch(configMaps), watch(pods)]);
  await settle();
  api.holdWatches(pods);
  await api.create(pods, { metadata: { name: 'pod', namespace: 'default' }, spec: { containers: [] } });
  await api.create(configMaps, { metadata: { name: 'map', namespace: 'default' } });
  await settle();
  expect(seen).toEqual(['ADDED ConfigMap']);
  api.releaseWatches();
  await settle();
  expect(seen).toEqual(['ADDED ConfigMap', 'ADDED Pod']);
  stop.abort();
  await watching;
});

describe('a Pod in FakeApi', () => {
  const pod = (nodeName?: string): Pod => ({
    metadata: { name: 'a', namespace: 'default' },
    spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
  });

  it('waits for its kubelet when it has a node, and is deleted immediately when it has none', async () => {
    const api = new FakeApi();
    await api.create(pods, pod('n1'));
    await api.delete(pods, key);
    expect(api.peek(pods, key)?.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    await api.delete(pods, key, { gracePeriodSeconds: 0 });
    expect(api.peek(pods, key)).toBeUndefined();
    await api.create(pods, pod());
    await api.evict(key);
    expect(api.peek(pods, key)).toBeUndefined();
  });

  it('increases its generation only with its spec, and sets a status only through seed or updateStatus', async () => {
    const api = new FakeApi();
    const first = await api.create(pods, { ...pod(), status: { phase: 'Running' } });
    expect([first.metadata.generation, first.status]).toEqual([1, undefined]);
    const labelled = await api.patch(pods, key, { metadata: { labels: { a: 'b' } } }, { type: 'strategic' });
    expect(labelled.metadata.generation).toBe(1);
    const changed = await api.patch(pods, key, { spec: { nodeName: 'n2' } }, { type: 'merge' });
    expect(changed.metadata.generation).toBe(2);
    expect(api.seed(pods, { ...changed, status: { phase: 'Running' } }).status).toEqual({ phase: 'Running' });
  });
});
