import { afterEach, describe, expect, it } from '@jest/globals';
import { configMaps, pods, type ConfigMap, type Pod } from '@kruise/objects';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { failures } from '../testing/fake-server.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { CachingClient } from './caching-client.ts';
import { Informers } from './informers.ts';

const key = { namespace: 'ns', name: 'a' };
const aMap = (data: Record<string, string> = {}, labels: Record<string, string> = {}): ConfigMap => ({
  metadata: { name: 'a', namespace: 'ns', labels },
  data,
});
const aPod = (nodeName?: string): Pod => ({
  metadata: { name: 'a', namespace: 'ns' },
  spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
});

const running: AbortController[] = [];
afterEach(() => {
  for (const one of running.splice(0)) one.abort();
});

/** A server whose watches show nothing until they are released, so that only own writes are seen. */
async function aSetting(prepare: (informers: Informers, api: FakeApi) => void = () => undefined) {
  const clock = new FakeClock();
  const api = new FakeApi({ clock });
  const informers = new Informers({ client: api, clock, logger: silentLogger() });
  const [maps, podStore] = [informers.store(configMaps), informers.store(pods)];
  prepare(informers, api);
  const stop = new AbortController();
  running.push(stop);
  const ended = informers.run(stop.signal);
  await informers.waitForSync(stop.signal);
  api.holdWatches();
  const own = api.connect('own');
  const client = new CachingClient(own, informers);
  return { api, own, informers, client, maps, podStore, clock, stop, ended };
}

describe('own writes', () => {
  it('are in the store when the call returns, and events of before do not undo them', async () => {
    const { api, client, maps, clock } = await aSetting();
    const made = await client.create(configMaps, aMap({ k: '1' }));
    expect(maps.get(key)?.data).toEqual({ k: '1' });
    await client.update(configMaps, { ...made, data: { k: '2' } });
    await client.patch(configMaps, key, { data: { k: '3' } }, { type: 'merge' });
    expect(maps.get(key)?.data).toEqual({ k: '3' });
    const seen: unknown[] = [];
    maps.subscribe((event) => seen.push(event), { replay: false });
    api.releaseWatches();
    await clock.settle();
    expect(maps.get(key)?.data).toEqual({ k: '3' });
    expect(seen).toEqual([]);
  });

  it('of the status are seen as well', async () => {
    const { client, podStore } = await aSetting();
    const made = await client.create(pods, aPod());
    await client.updateStatus(pods, { ...made, status: { phase: 'Running' } });
    expect(podStore.get(key)?.status).toEqual({ phase: 'Running' });
  });

  it('as a dry run, of another version or of another kind are not', async () => {
    const { client, maps } = await aSetting();
    await client.create(configMaps, aMap(), { dryRun: true });
    await client.create({ ...configMaps, version: 'v2' }, aMap());
    expect(maps.size).toBe(0);
  });

  it('whose outcome is not known claim nothing', async () => {
    const { own, client, maps } = await aSetting();
    await client.create(configMaps, aMap({ k: '1' }));
    own.faults = {
      after: () => {
        throw failures.unreachable();
      },
    };
    await expect(client.patch(configMaps, key, { data: { k: '2' } }, { type: 'merge' })).rejects.toThrow('connection reset');
    await expect(client.delete(configMaps, key)).rejects.toThrow('connection reset');
    expect(maps.get(key)?.data).toEqual({ k: '1' });
  });

  it('go into stores of a part only if they belong there', async () => {
    const scopes = [{ labelSelector: 'app in (x,y)' }, { fieldSelector: 'metadata.name=a' }, { namespace: 'other' }];
    const { client, informers } = await aSetting((before) => scopes.forEach((scope) => before.store(configMaps, scope)));
    const sizes = (): number[] => scopes.map((scope) => informers.store(configMaps, scope).size);
    await client.create(configMaps, aMap({}, { app: 'x' }));
    expect(sizes()).toEqual([1, 1, 0]);
    await client.patch(configMaps, key, { metadata: { labels: { app: 'z' } } }, { type: 'merge' });
    expect(sizes()).toEqual([0, 1, 0]);
  });
});

describe('own deletions', () => {
  it('take the object out at once, and events of before do not bring it back', async () => {
    const { api, client, maps, clock } = await aSetting();
    await client.create(configMaps, aMap());
    await client.delete(configMaps, key);
    expect(maps.size).toBe(0);
    api.releaseWatches();
    await clock.settle();
    expect(maps.size).toBe(0);
    expect(maps.resourceVersion).toBe('3');
  });

  it('of an object with grace leave it as terminating', async () => {
    const { client, podStore } = await aSetting();
    await client.create(pods, aPod('node'));
    await client.delete(pods, key);
    expect(podStore.get(key)?.metadata.deletionTimestamp).toBeDefined();
    await client.delete(pods, key, { gracePeriodSeconds: 0 });
    expect(podStore.size).toBe(0);
  });

  it('end with the write that takes the last finalizer away', async () => {
    const { api, client, maps, clock } = await aSetting();
    await client.create(configMaps, { ...aMap(), metadata: { ...aMap().metadata, finalizers: ['x/y'] } });
    await client.delete(configMaps, key);
    expect(maps.get(key)?.metadata.finalizers).toEqual(['x/y']);
    await client.patch(configMaps, key, { metadata: { finalizers: null } }, { type: 'merge' });
    expect(maps.size).toBe(0);
    api.releaseWatches();
    await clock.settle();
    expect(maps.size).toBe(0);
  });

  it('answered by a Status take out what was held when the call began', async () => {
    const { own, client, maps, clock, api } = await aSetting();
    const made = await client.create(configMaps, aMap());
    const silent = new CachingClient(
      Object.assign(Object.create(own) as FakeApi, { delete: async () => void (await own.delete(configMaps, key)) }),
      {
        storesOf: () => [maps],
      },
    );
    await silent.delete(configMaps, key);
    expect(maps.size).toBe(0);
    const again = await client.create(configMaps, aMap());
    expect(again.metadata.uid).not.toBe(made.metadata.uid);
    api.releaseWatches();
    await clock.settle();
    expect(maps.get(key)?.metadata.uid).toBe(again.metadata.uid);
  });

  it('of what is not there any more take it out, but not what took its name', async () => {
    const { api, client, maps, own } = await aSetting();
    await client.create(configMaps, aMap());
    await api.connect('other').delete(configMaps, key);
    await expect(client.delete(configMaps, key)).rejects.toThrow('not found');
    expect(maps.size).toBe(0);
    await client.create(configMaps, aMap());
    own.faults = {
      before: async ({ verb }) => {
        if (verb !== 'delete') return;
        own.faults = {};
        await api.connect('other').delete(configMaps, key);
        await client.create(configMaps, aMap({ k: 'second' }));
        throw failures.notFound(configMaps, 'a');
      },
    };
    await expect(client.delete(configMaps, key)).rejects.toThrow('not found');
    expect(maps.get(key)?.data).toEqual({ k: 'second' });
  });

  it('as a dry run change nothing', async () => {
    const { client, maps } = await aSetting();
    await client.create(configMaps, aMap());
    await client.delete(configMaps, key, { dryRun: true });
    expect(maps.size).toBe(1);
  });
});

describe('what the stores are told', () => {
  /** A client whose every write is answered by `answer`, and a store that writes down what it hears. */
  function aRecording(answer: () => ConfigMap | undefined | Promise<never>, heldUid?: string) {
    const heard: unknown[] = [];
    const observe = (object: ConfigMap): unknown => heard.push(['observe', object.metadata.resourceVersion]);
    const observeDeletion = (at: unknown, uid: unknown, version: unknown): unknown => heard.push(['deleted', at, uid, version]);
    const get = (): ConfigMap | undefined =>
      heldUid === undefined ? undefined : { metadata: { name: 'a', namespace: 'ns', uid: heldUid, resourceVersion: '1' } };
    const asked: unknown[] = [];
    const storesOf = (apiVersion: string, kind: string): never[] => {
      asked.push([apiVersion, kind]);
      return [{ get, observe, observeDeletion }] as never[];
    };
    const write = async (): Promise<ConfigMap | undefined> => answer();
    const inner = { create: write, update: write, updateStatus: write, patch: write, delete: write, close: () => heard.push('closed') };
    return { client: new CachingClient(inner as never, { storesOf }), heard, asked };
  }
  const answerOf = (metadata: object = {}, more: object = {}): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'ns', uid: 'u', resourceVersion: '7', ...metadata },
    ...more,
  });
  const going = { deletionTimestamp: '2025-01-01T00:00:00Z' };
  const observed = [['observe', '7']];
  const deleted = [['deleted', key, 'u', '7']];

  it.each<{ name: string; answer: ConfigMap; heard: unknown[] }>([
    { name: 'an object', answer: answerOf(), heard: observed },
    { name: 'an object that does not say its kind', answer: answerOf({}, { apiVersion: undefined, kind: undefined }), heard: observed },
    { name: 'an object of another kind', answer: answerOf({}, { kind: 'Scale' }), heard: [] },
    { name: 'an object of another version', answer: answerOf({}, { apiVersion: 'v2' }), heard: [] },
    { name: 'an object of another kind and version', answer: answerOf({}, { apiVersion: 'v2', kind: 'Scale' }), heard: [] },
    { name: 'an object without resourceVersion', answer: answerOf({ resourceVersion: undefined }), heard: [] },
    { name: 'another kind without resourceVersion', answer: answerOf({ resourceVersion: undefined }, { kind: 'Status' }), heard: [] },
    { name: 'an object that is going, with a finalizer', answer: answerOf({ ...going, finalizers: ['x/y'] }), heard: observed },
    { name: 'an object that is going, with grace', answer: answerOf({ ...going, deletionGracePeriodSeconds: 5 }), heard: observed },
    { name: 'an object that nothing holds back', answer: answerOf({ ...going, finalizers: [] }), heard: deleted },
  ])('of a write that is answered by $name', async ({ answer, heard }) => {
    const one = aRecording(() => answer);
    expect(await one.client.update(configMaps, aMap())).toBe(answer);
    expect(one.heard).toEqual(heard);
    const dry = aRecording(() => answer);
    expect(await dry.client.update(configMaps, aMap(), { dryRun: true })).toBe(answer);
    expect(dry.heard).toEqual([]);
  });

  it.each<{ name: string; answer: ConfigMap; forced?: boolean; heard: unknown[] }>([
    { name: 'the object, gone', answer: answerOf(), heard: deleted },
    { name: 'the object, going with grace', answer: answerOf({ ...going, deletionGracePeriodSeconds: 5 }), heard: observed },
    { name: 'the object, going without', answer: answerOf({ ...going, deletionGracePeriodSeconds: 5 }), forced: true, heard: deleted },
    {
      name: 'the object, held back',
      answer: answerOf({ ...going, deletionGracePeriodSeconds: 0, finalizers: ['x/y'] }),
      forced: true,
      heard: observed,
    },
    { name: 'an object of another kind', answer: answerOf({}, { kind: 'Status' }), heard: [] },
    { name: 'an object of another version', answer: answerOf({}, { apiVersion: 'v2' }), heard: [] },
  ])('of a deletion that is answered by $name', async ({ answer, forced = false, heard }) => {
    const one = aRecording(() => answer);
    await one.client.delete(configMaps, key, forced ? { gracePeriodSeconds: 0 } : undefined);
    expect(one.heard).toEqual(heard);
    expect(one.asked).toContainEqual(['v1', 'ConfigMap']);
  });

  it.each([
    { name: 'a Status', answer: (): undefined => undefined },
    { name: 'not found', answer: (): Promise<never> => Promise.reject(failures.notFound(configMaps, 'a')) },
  ])('of a deletion that is answered by $name: the object that was held is gone, at an unknown version', async ({ answer }) => {
    const held = aRecording(answer, 'uid-held');
    await held.client.delete(configMaps, key).catch(() => undefined);
    expect(held.heard).toEqual([['deleted', key, 'uid-held', '']]);
    const empty = aRecording(answer);
    await empty.client.delete(configMaps, key).catch(() => undefined);
    expect(empty.heard).toEqual([]);
  });

  it('of a deletion that failed otherwise: nothing', async () => {
    const { client, heard } = aRecording(() => Promise.reject(failures.serverError()), 'uid-held');
    await expect(client.delete(configMaps, key)).rejects.toThrow('internal error');
    expect(heard).toEqual([]);
  });

  it('when the client is closed: nothing, but the one below is', () => {
    const { client, heard } = aRecording(() => undefined);
    client.close();
    expect(heard).toEqual(['closed']);
  });
});

describe('the rest', () => {
  it('goes to the server', async () => {
    const { api, client } = await aSetting();
    api.seed(configMaps, aMap({ k: '1' }));
    api.rawAnswers.set('/version', { major: '1' });
    expect((await client.get(configMaps, key)).data).toEqual({ k: '1' });
    expect((await client.list(configMaps)).items).toHaveLength(1);
    expect(await client.raw('/version')).toEqual({ major: '1' });
    expect((await client.getScale(configMaps, key)).metadata.name).toBe('a');
    expect((await client.updateScale(configMaps, key, { metadata: { name: 'a', namespace: 'ns' }, spec: { replicas: 2 } })).spec).toEqual({
      replicas: 2,
    });
    await client.create(pods, aPod());
    await client.evict(key);
    expect(api.peek(pods, key)).toBeUndefined();
    const stop = new AbortController();
    for await (const event of client.watch(configMaps, { signal: stop.signal })) {
      expect(event.type).toBe('ADDED');
      break;
    }
    client.close();
  });
});
