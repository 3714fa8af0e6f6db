import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  configMaps,
  customResourceDefinitions,
  namespaces,
  pods,
  seconds,
  type ConfigMap,
  type KubeObject,
  type Pod,
  type ResourceType,
} from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { loadClusterConfig } from '../config/load-config.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { CachingClient } from './caching-client.ts';
import { Informers, type InformersOptions } from './informers.ts';

let plane: ControlPlane;
let direct: Client;
const running: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];

beforeAll(async () => {
  plane = await startControlPlane({});
  direct = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-test' });
});

afterEach(async () => {
  for (const { stop, ended } of running.splice(0)) {
    stop.abort();
    await ended;
  }
});

afterAll(async () => {
  direct?.close();
  await plane.stop();
});

const widgets: ResourceType = { group: 'test.kruise.io', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
const key = (name: string) => ({ namespace: 'default', name });
const aMap = (name: string, extra: Partial<ConfigMap['metadata']> = {}): ConfigMap => ({
  metadata: { name, namespace: 'default', ...extra },
  data: { k: '1' },
});
const aPod = (name: string): Pod => ({ metadata: { name, namespace: 'default' }, spec: { containers: [{ name: 'main', image: 'x:1' }] } });

/** Waits until a condition holds, with a deadline. */
async function until(what: string, holds: () => boolean, withinMs = 120_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(20);
  }
}

async function running_(types: readonly ResourceType[], options: Partial<InformersOptions> = {}) {
  const logger = silentLogger();
  const informers = new Informers({ client: direct, clock: new SystemClock(), logger, ...options });
  const stores = types.map((type) => informers.store(type));
  const stop = new AbortController();
  running.push({ stop, ended: informers.run(stop.signal) });
  await informers.waitForSync(AbortSignal.timeout(120_000));
  return { informers, stores, client: new CachingClient(direct, informers), logger };
}

/** Only in the namespace of the tests: the API server writes ConfigMaps of its own to other namespaces at any time. */
const versionsOnServer = async (type: ResourceType): Promise<string[]> =>
  (await direct.list(type, { namespace: 'default' })).items
    .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}@${metadata.resourceVersion ?? ''}`)
    .sort();
const versionsHeld = (store: { list(): readonly KubeObject[] }): string[] =>
  store
    .list()
    .filter(({ metadata }) => metadata.namespace === 'default')
    .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}@${metadata.resourceVersion ?? ''}`)
    .sort();

describe('a store beside a real API server', () => {
  it.each([true, false])('lists, and follows the writes of others (streaming lists: %s)', async (streamingLists) => {
    const names = Array.from({ length: 30 }, (_, at) => `follow-${streamingLists}-${at}`);
    await Promise.all(names.slice(0, 20).map((name) => direct.create(configMaps, aMap(name))));
    const { stores } = await running_([configMaps], { streamingLists });
    const [store] = stores;
    if (store === undefined) throw new Error('no store');
    expect(versionsHeld(store)).toEqual(await versionsOnServer(configMaps));
    await Promise.all(names.slice(20).map((name) => direct.create(configMaps, aMap(name))));
    await Promise.all(names.slice(0, 10).map((name) => direct.patch(configMaps, key(name), { data: { k: '2' } }, { type: 'merge' })));
    await Promise.all(names.slice(10, 20).map((name) => direct.delete(configMaps, key(name))));
    const truth = await versionsOnServer(configMaps);
    await until('the same as the server has', () => JSON.stringify(versionsHeld(store)) === JSON.stringify(truth));
    expect(store.get(key(names[0] ?? ''))?.apiVersion).toBe('v1');
    expect(store.get(key(names[0] ?? ''))?.kind).toBe('ConfigMap');
  });

  it('shows own writes immediately and lets no event undo them', async () => {
    const { stores, client } = await running_([configMaps, pods]);
    const [maps, podStore] = stores;
    const seen: string[] = [];
    maps?.subscribe(
      ({ kind, object }) => object.metadata.name.startsWith('own-') && seen.push(`${kind} ${(object as ConfigMap).data?.['k'] ?? ''}`),
      { replay: false },
    );
    for (let round = 0; round < 20; round++) {
      const name = `own-${round}`;
      await client.create(configMaps, aMap(name));
      expect(maps?.get(key(name))).toMatchObject({ data: { k: '1' } });
      await client.patch(configMaps, key(name), { data: { k: '2' } }, { type: 'merge' });
      expect(maps?.get(key(name))).toMatchObject({ data: { k: '2' } });
      await client.delete(configMaps, key(name));
      expect(maps?.get(key(name))).toBeUndefined();
      await client.create(configMaps, aMap(name));
      expect(maps?.get(key(name))).toMatchObject({ data: { k: '1' } });
    }
    const last = await client.create(configMaps, aMap('last'));
    await until(
      'the watch has caught up',
      () => Number(maps && 'resourceVersion' in maps ? maps.resourceVersion : 0) >= Number(last.metadata.resourceVersion),
    );
    expect(seen).toEqual(Array.from({ length: 20 }, () => ['Added 1', 'Updated 2', 'Deleted 2', 'Added 1']).flat());
    expect(podStore?.size).toBe(0);
  });

  it('treats each kind of deletion as the server does', async () => {
    const { stores, client } = await running_([configMaps, pods]);
    const [maps, podStore] = stores;
    const kindsSeen = new Map<string, string[]>();
    podStore?.subscribe(
      ({ kind, object: { metadata } }) => kindsSeen.set(metadata.uid ?? '', [...(kindsSeen.get(metadata.uid ?? '') ?? []), kind]),
      { replay: false },
    );
    // Not bound to a node: the Pod is deleted immediately, and the answer is the object.
    await client.create(pods, aPod('a'));
    await client.delete(pods, key('a'));
    expect(podStore?.size).toBe(0);
    // Deleted without a grace period.
    await client.create(pods, aPod('b'));
    await client.delete(pods, key('b'), { gracePeriodSeconds: 0 });
    expect(podStore?.size).toBe(0);
    // Bound: its node has to confirm the deletion, or the client forces it.
    await client.create(pods, { ...aPod('c'), spec: { ...aPod('c').spec, nodeName: 'nowhere' } });
    await client.delete(pods, key('c'));
    expect(podStore?.get(key('c'))?.metadata.deletionTimestamp).toBeDefined();
    await client.delete(pods, key('c'), { gracePeriodSeconds: 0 });
    expect(podStore?.size).toBe(0);
    // With finalizers.
    await client.create(configMaps, aMap('d', { finalizers: ['kruise.io/test'] }));
    await client.delete(configMaps, key('d'));
    expect(maps?.get(key('d'))?.metadata.deletionTimestamp).toBeDefined();
    await client.patch(configMaps, key('d'), { metadata: { finalizers: null } }, { type: 'merge' });
    expect(maps?.get(key('d'))).toBeUndefined();
    const marker = await client.create(pods, aPod('marker'));
    await until(
      'the watch has caught up',
      () => Number(podStore && 'resourceVersion' in podStore ? podStore.resourceVersion : 0) >= Number(marker.metadata.resourceVersion),
    );
    // The watch may show the intermediate states before the answer arrives. Nothing comes after the end.
    const ended = [...kindsSeen.values()]
      .slice(0, 3)
      .map((timeline) => [timeline[0], timeline.at(-1), timeline.filter((kind) => kind === 'Deleted').length]);
    expect(ended).toEqual(Array.from({ length: 3 }, () => ['Added', 'Deleted', 1]));
  });

  it('removes what the server reports as absent, and keeps a namespace that is being deleted', async () => {
    // No reflector runs, so the stores learn of the deletions only from own calls.
    const informers = new Informers({ client: direct, clock: new SystemClock(), logger: silentLogger() });
    const [maps, spaces, crds] = [informers.store(configMaps), informers.store(namespaces), informers.store(customResourceDefinitions)];
    const client = new CachingClient(direct, informers);
    await client.create(configMaps, aMap('vanished'));
    await direct.delete(configMaps, key('vanished'));
    crds.observe({ metadata: { name: 'never.gone.kruise.io', uid: 'u', resourceVersion: '1' } });
    expect([maps.size, crds.size]).toEqual([1, 1]);
    await expect(client.delete(configMaps, key('vanished'))).rejects.toMatchObject({ code: 404 });
    await expect(client.delete(customResourceDefinitions, { namespace: '', name: 'never.gone.kruise.io' })).rejects.toMatchObject({
      failure: { kind: 'NotFound' },
    });
    expect([maps.size, crds.size]).toEqual([0, 0]);

    await client.create(namespaces, { metadata: { name: 'going' } });
    for (let time = 0; time < 2; time++) {
      await client.delete(namespaces, { namespace: '', name: 'going' });
      expect(spaces.get({ namespace: '', name: 'going' })?.metadata.deletionTimestamp).toBeDefined();
    }
  });

  it('watches a custom kind from the moment that it is served', async () => {
    const logger = silentLogger();
    const informers = new Informers({ client: direct, clock: new SystemClock(), logger });
    const store = informers.store(widgets);
    const stop = new AbortController();
    running.push({ stop, ended: informers.run(stop.signal) });
    await until('a failed list', () => logger.lines.length > 0);
    const { group, version, kind, plural } = widgets;
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await direct.create(customResourceDefinitions, {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Namespaced', names: { kind, plural }, versions: [{ name: version, served: true, storage: true, schema }] },
    } as KubeObject);
    await until('synced', () => store.synced);
    const client = new CachingClient(direct, informers);
    await client.create(widgets, { metadata: { name: 'w', namespace: 'default' } });
    expect(store.size).toBe(1);
    await client.delete(widgets, key('w'));
    expect(store.size).toBe(0);
    await client.create(widgets, { metadata: { name: 'w', namespace: 'default' } });
    expect(store.size).toBe(1);
  });

  it('recovers from an API server that is killed, including what happened afterwards', async () => {
    const { stores, logger } = await running_([configMaps], { stalledAfter: seconds(30) });
    const [store] = stores;
    await direct.create(configMaps, aMap('before-kill'));
    const known = logger.lines.length;
    await plane.killApiServer();
    await until('the store has failed to list and watch', () => logger.lines.length > known + 1);
    await plane.startApiServer();
    await direct.create(configMaps, aMap('after-kill'));
    await direct.delete(configMaps, key('before-kill'));
    await until(
      'the same as the server has',
      () => store?.get(key('after-kill')) !== undefined && store.get(key('before-kill')) === undefined,
    );
    expect(versionsHeld(store!)).toEqual(await versionsOnServer(configMaps));
  });
});
