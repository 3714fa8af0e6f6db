import { urlPath } from '../client/transport/resource-path.ts';
import { afterEach, describe, expect, it } from '@jest/globals';
import { configMaps, namespaces, pods, type ConfigMap, type KubeObject, type Pod } from '@kruise/objects';
import type { ApiError } from '../api-error.ts';
import { errorFromAnswer } from '../client/transport/error-from-answer.ts';
import { FakeClock } from '../clock/fake-clock.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { failures } from '../testing/fake-server.ts';
import { ScriptedSource } from '../testing/scripted-source.ts';
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

/** Returns a server whose watches show nothing until they are released, so that only own writes are seen. */
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
  it('are in the store when the call returns, and earlier events do not undo them', async () => {
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

  it('with an unknown outcome change nothing', async () => {
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

  it('are put into stores of a part only if they belong to it', async () => {
    const scopes = [{ labelSelector: 'app in (x,y)' }, { fieldSelector: 'metadata.name=a' }, { namespace: 'other' }];
    const { client, informers } = await aSetting((before) => scopes.forEach((scope) => before.store(configMaps, scope)));
    const sizes = (): number[] => scopes.map((scope) => informers.store(configMaps, scope).size);
    await client.create(configMaps, aMap({}, { app: 'x' }));
    expect(sizes()).toEqual([1, 1, 0]);
    await client.patch(configMaps, key, { metadata: { labels: { app: 'z' } } }, { type: 'merge' });
    expect(sizes()).toEqual([0, 1, 0]);
  });
});

describe('a write of another history than the one that was seen', () => {
  /**
   * Returns stores that have listed `a` at version 5 and reached version 10, and a client whose writes are answered at a version that the test sets.
   */
  async function aFollowed() {
    const clock = new FakeClock();
    const source = new ScriptedSource();
    const informers = new Informers({ client: source, clock, logger: silentLogger() });
    const maps = informers.store(configMaps);
    const stop = new AbortController();
    running.push(stop);
    void informers.run(stop.signal);
    await clock.settle();
    const at = (name: string, version: number): ConfigMap => ({
      metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: String(version) },
    });
    source.watching.send({ type: 'ADDED', object: at('a', 5) }).bookmark('10', true);
    await clock.settle();
    const pending: ((answer: ConfigMap) => void)[] = [];
    const write = (): Promise<ConfigMap> => new Promise((resolve) => pending.push(resolve));
    const inner = { create: write, update: write, updateStatus: write, patch: write };
    const client = new CachingClient(inner as never, informers);
    const answer = async (object: ConfigMap): Promise<void> => {
      pending.shift()?.(object);
      await clock.settle();
    };
    const lists = (): number => source.watches.filter(({ options }) => options.sendInitialEvents).length;
    return { source, client, maps, answer, lists, at, clock };
  }
  type Followed = Awaited<ReturnType<typeof aFollowed>>;

  const creation = ({ client }: Followed): Promise<unknown> => client.create(configMaps, { metadata: { name: 'b', namespace: 'ns' } });
  const writes: readonly { readonly name: string; readonly begin: (followed: Followed) => Promise<unknown> }[] = [
    { name: 'an update', begin: ({ client, at }) => client.update(configMaps, at('a', 5)) },
    { name: 'an update of the status', begin: ({ client, at }) => client.updateStatus(configMaps, at('a', 5)) },
    { name: 'a patch', begin: ({ client }) => client.patch(configMaps, key, {}, { type: 'merge' }) },
  ];

  it.each([4, 10])('leads to a list immediately when it created an object at %i, after 10 was seen', async (version) => {
    const followed = await aFollowed();
    void creation(followed);
    await followed.answer(followed.at('b', version));
    expect(followed.lists()).toBe(2);
  });

  it.each(writes)('leads to a list immediately when $name is answered with a state older than the held one', async ({ begin }) => {
    const followed = await aFollowed();
    void begin(followed);
    await followed.answer(followed.at('a', 4));
    expect(followed.lists()).toBe(2);
    expect(followed.maps.get(key)?.metadata.resourceVersion).toBe('5');
  });

  it('leads to one list, however many writes show it', async () => {
    const followed = await aFollowed();
    for (let count = 0; count < 3; count++) void creation(followed);
    for (let count = 0; count < 3; count++) await followed.answer(followed.at(`b-${count}`, 4));
    expect(followed.lists()).toBe(2);
  });

  it('is not one that changed nothing, nor one that created something newer', async () => {
    const followed = await aFollowed();
    for (const { begin } of writes) {
      void begin(followed);
      await followed.answer(followed.at('a', 5));
    }
    void creation(followed);
    await followed.answer(followed.at('b', 11));
    expect([followed.lists(), followed.maps.size]).toEqual([1, 2]);
  });

  it('is not one that was answered late', async () => {
    const followed = await aFollowed();
    void creation(followed);
    void writes[2]?.begin(followed);
    followed.source.watching.send({ type: 'MODIFIED', object: followed.at('a', 14) });
    await followed.clock.settle();
    await followed.answer(followed.at('b', 12));
    await followed.answer(followed.at('a', 13));
    expect(followed.lists()).toBe(1);
  });

  it('is not one that was answered after the new history was listed', async () => {
    const followed = await aFollowed();
    for (let count = 0; count < 2; count++) void creation(followed);
    await followed.answer(followed.at('b', 4));
    for (let list = 0; list < 2; list++) {
      followed.source.watching.bookmark('5', true);
      await followed.clock.step(800);
    }
    expect([followed.lists(), followed.maps.resourceVersion]).toEqual([3, '5']);
    await followed.answer(followed.at('c', 6));
    expect(followed.lists()).toBe(3);
  });
});

describe('own deletions', () => {
  it('remove the object immediately, and earlier events do not bring it back', async () => {
    const { api, client, maps, clock } = await aSetting();
    await client.create(configMaps, aMap());
    await client.delete(configMaps, key);
    expect(maps.size).toBe(0);
    api.releaseWatches();
    await clock.settle();
    expect(maps.size).toBe(0);
    expect(maps.resourceVersion).toBe('3');
  });

  it('of an object with a grace period keep it as terminating', async () => {
    const { client, podStore } = await aSetting();
    await client.create(pods, aPod('node'));
    await client.delete(pods, key);
    expect(podStore.get(key)?.metadata.deletionTimestamp).toBeDefined();
    await client.delete(pods, key, { gracePeriodSeconds: 0 });
    expect(podStore.size).toBe(0);
  });

  it('end with the write that removes the last finalizer', async () => {
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

  it('answered by a Status remove the object that was held when the call began', async () => {
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

  it('of a missing object remove it, but not another object with its name', async () => {
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

  /** Returns the error of a 404 answer as it is received. */
  const notFound = (body: unknown): ApiError => errorFromAnswer({ code: 404, body, asked: 'DELETE /api/v1/namespaces/ns/configmaps/a' });
  const aStatus = (details: object | undefined, reason: string | undefined = 'NotFound'): object => ({
    ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'not found', code: 404 },
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
  });

  it.each<{ name: string; body: unknown }>([
    { name: 'a page of a load balancer', body: '<html>no such route</html>' },
    { name: 'nothing', body: '' },
    { name: 'a Status that names no object, as for a version that is not served', body: aStatus({}) },
    { name: 'a Status without details', body: aStatus(undefined) },
    { name: 'a Status without reason', body: aStatus({ name: 'a', kind: 'configmaps' }, '') },
    { name: 'a Status of another object, as a webhook sends it', body: aStatus({ name: 'b', kind: 'configmaps' }) },
    { name: 'a Status of another kind', body: aStatus({ name: 'a', kind: 'secrets' }) },
    { name: 'a Status of another group', body: aStatus({ name: 'a', group: 'example.com', kind: 'configmaps' }) },
    { name: 'a Status of the namespace', body: aStatus({ name: 'ns', kind: 'namespaces' }) },
    { name: 'a Status with malformed details', body: aStatus({ name: ['a'], kind: 7 }) },
  ])('answered with 404 and $name keep the object', async ({ body }) => {
    const { own, client, maps } = await aSetting();
    const made = await client.create(configMaps, aMap());
    own.faults = {
      before: () => {
        throw notFound(body);
      },
    };
    await expect(client.delete(configMaps, key)).rejects.toMatchObject({ code: 404 });
    expect(maps.get(key)?.metadata.uid).toBe(made.metadata.uid);
  });

  it.each([{ kind: 'configmaps' }, { kind: 'configmaps', group: '' }])(
    'answered with a Status NotFound that names the object (%j) remove it',
    async (details) => {
      const { own, client, maps } = await aSetting();
      await client.create(configMaps, aMap());
      own.faults = {
        before: () => {
          throw notFound(aStatus({ name: 'a', ...details }));
        },
      };
      await expect(client.delete(configMaps, key)).rejects.toMatchObject({ code: 404 });
      expect(maps.size).toBe(0);
    },
  );

  describe('of an object that the server reported as absent by mistake', () => {
    async function aMistake() {
      const all = await aSetting();
      const { own, client, maps } = all;
      await client.create(configMaps, aMap());
      own.faults = {
        before: () => {
          throw failures.notFound(configMaps, 'a');
        },
      };
      await expect(client.delete(configMaps, key)).rejects.toThrow('not found');
      own.faults = {};
      expect(maps.size).toBe(0);
      return all;
    }

    it('are undone by its next event', async () => {
      const { api, clock, maps } = await aMistake();
      await api.connect('other').patch(configMaps, key, { data: { k: '2' } }, { type: 'merge' });
      api.releaseWatches();
      await clock.settle();
      expect(maps.get(key)?.data).toEqual({ k: '2' });
    });

    it('are undone by the next list', async () => {
      const { api, clock, maps } = await aMistake();
      api.endWatches(failures.gone());
      await clock.settle();
      expect(maps.get(key)?.data).toEqual({});
    });

    it('are undone by the next own write', async () => {
      const { client, maps } = await aMistake();
      await client.patch(configMaps, key, { data: { k: '2' } }, { type: 'merge' });
      expect(maps.get(key)?.data).toEqual({ k: '2' });
    });

    it('are not undone by an earlier event', async () => {
      const { api, clock, maps } = await aMistake();
      api.releaseWatches();
      await clock.settle();
      expect(maps.size).toBe(0);
    });
  });

  it('of a namespace keep it until its content is deleted', async () => {
    const terminating: KubeObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'a', uid: 'u', resourceVersion: '7', deletionTimestamp: '2025-01-01T00:00:00Z' },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Terminating' },
    } as KubeObject;
    const at = { namespace: '', name: 'a' };
    const { informers } = await aSetting((before) => before.store(namespaces));
    const store = informers.store(namespaces);
    const answer = async (): Promise<KubeObject> => structuredClone(terminating);
    const client = new CachingClient({ patch: answer, delete: answer } as never, informers);
    for (const gracePeriodSeconds of [undefined, 0]) {
      await client.delete(namespaces, at, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
      expect(store.get(at)?.metadata.deletionTimestamp).toBeDefined();
    }
    await client.patch(namespaces, at, {}, { type: 'merge' });
    expect(store.get(at)?.metadata.deletionTimestamp).toBeDefined();
    const last = { ...terminating, metadata: { ...terminating.metadata, resourceVersion: '9' }, spec: { finalizers: [] } };
    await new CachingClient({ delete: async () => last } as never, informers).delete(namespaces, at);
    expect(store.size).toBe(0);
  });

  it('as a dry run change nothing', async () => {
    const { client, maps } = await aSetting();
    await client.create(configMaps, aMap());
    await client.delete(configMaps, key, { dryRun: true });
    expect(maps.size).toBe(1);
  });
});

describe('the stores are called', () => {
  /** Returns a client whose every write is answered by `answer`, and a store that records its calls. */
  function aRecording(answer: () => ConfigMap | undefined | Promise<never>, heldUid?: string) {
    const heard: unknown[] = [];
    const observe = (object: ConfigMap): unknown => heard.push(['observe', object.metadata.resourceVersion]);
    const observeDeletion = (at: unknown, uid: unknown, version: unknown): unknown => heard.push(['deleted', at, uid, version]);
    const get = (): ConfigMap | undefined =>
      heldUid === undefined ? undefined : { metadata: { name: 'a', namespace: 'ns', uid: heldUid, resourceVersion: '1' } };
    const observeAbsence = (at: unknown, uid: unknown): unknown => heard.push(['absent', at, uid]);
    const asked: unknown[] = [];
    const storesOf = (apiVersion: string, kind: string): never[] => {
      asked.push([apiVersion, kind]);
      return [{ get, observe, observeDeletion, observeAbsence }] as never[];
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
    { name: 'an object without kind', answer: answerOf({}, { apiVersion: undefined, kind: undefined }), heard: observed },
    { name: 'an object of another kind', answer: answerOf({}, { kind: 'Scale' }), heard: [] },
    { name: 'an object of another version', answer: answerOf({}, { apiVersion: 'v2' }), heard: [] },
    { name: 'an object of another kind and version', answer: answerOf({}, { apiVersion: 'v2', kind: 'Scale' }), heard: [] },
    { name: 'an object without resourceVersion', answer: answerOf({ resourceVersion: undefined }), heard: [] },
    { name: 'JSON that is no object', answer: {} as ConfigMap, heard: [] },
    { name: 'another kind without resourceVersion', answer: answerOf({ resourceVersion: undefined }, { kind: 'Status' }), heard: [] },
    { name: 'a terminating object with a finalizer', answer: answerOf({ ...going, finalizers: ['x/y'] }), heard: observed },
    { name: 'a terminating object with a grace period', answer: answerOf({ ...going, deletionGracePeriodSeconds: 5 }), heard: observed },
    { name: 'a terminating object that nothing holds back', answer: answerOf({ ...going, finalizers: [] }), heard: deleted },
  ])('for a write that is answered by $name', async ({ answer, heard }) => {
    const one = aRecording(() => answer);
    expect(await one.client.update(configMaps, aMap())).toBe(answer);
    expect(one.heard).toEqual(heard);
    const dry = aRecording(() => answer);
    expect(await dry.client.update(configMaps, aMap(), { dryRun: true })).toBe(answer);
    expect(dry.heard).toEqual([]);
  });

  it.each<{ name: string; answer: ConfigMap; forced?: boolean; heard: unknown[] }>([
    { name: 'the removed object', answer: answerOf(), heard: deleted },
    { name: 'the object, terminating with a grace period', answer: answerOf({ ...going, deletionGracePeriodSeconds: 5 }), heard: observed },
    {
      name: 'the object, terminating without a grace period',
      answer: answerOf({ ...going, deletionGracePeriodSeconds: 5 }),
      forced: true,
      heard: deleted,
    },
    {
      name: 'the object, held back',
      answer: answerOf({ ...going, deletionGracePeriodSeconds: 0, finalizers: ['x/y'] }),
      forced: true,
      heard: observed,
    },
    { name: 'an object of another kind', answer: answerOf({}, { kind: 'Status' }), heard: [] },
    { name: 'an object of another version', answer: answerOf({}, { apiVersion: 'v2' }), heard: [] },
    { name: 'JSON that is no object', answer: {} as ConfigMap, heard: [] },
  ])('for a deletion that is answered by $name', async ({ answer, forced = false, heard }) => {
    const one = aRecording(() => answer);
    await one.client.delete(configMaps, key, forced ? { gracePeriodSeconds: 0 } : undefined);
    expect(one.heard).toEqual(heard);
    expect(one.asked).toContainEqual(['v1', 'ConfigMap']);
  });

  it.each([
    { name: 'a Status: it is deleted, at an unknown version', answer: (): undefined => undefined, heard: ['deleted', key, 'uid-held', ''] },
    {
      name: 'not found: it does not exist',
      answer: (): Promise<never> => Promise.reject(failures.notFound(configMaps, 'a')),
      heard: ['absent', key, 'uid-held'],
    },
  ])('for the object that was held when a deletion began that is answered by $name', async ({ answer, heard }) => {
    const held = aRecording(answer, 'uid-held');
    await held.client.delete(configMaps, key).catch(() => undefined);
    expect(held.heard).toEqual([heard]);
    const empty = aRecording(answer);
    await empty.client.delete(configMaps, key).catch(() => undefined);
    expect(empty.heard).toEqual([]);
  });

  it('for a deletion that failed otherwise: never', async () => {
    const { client, heard } = aRecording(() => Promise.reject(failures.serverError()), 'uid-held');
    await expect(client.delete(configMaps, key)).rejects.toThrow('internal error');
    expect(heard).toEqual([]);
  });

  it('when the client is closed: never, but the inner client is closed', () => {
    const { client, heard } = aRecording(() => undefined);
    client.close();
    expect(heard).toEqual(['closed']);
  });
});

describe('any other call', () => {
  it('is sent to the server', async () => {
    const { api, client } = await aSetting();
    api.seed(configMaps, aMap({ k: '1' }));
    api.rawAnswers.set('/version', { major: '1' });
    expect((await client.get(configMaps, key)).data).toEqual({ k: '1' });
    expect((await client.list(configMaps)).items).toHaveLength(1);
    expect(await client.raw(urlPath`/version`)).toEqual({ major: '1' });
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
