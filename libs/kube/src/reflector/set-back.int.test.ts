/** A cluster that is restored from a backup of etcd under a running client: versions decrease, and the server does not report it. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { configMaps, keyOf, seconds, type ConfigMap, type ObjectKey } from '@kruise/objects';
import { startControlPlane, type ControlPlane } from '@kruise/testing';
import type { Client } from '../client/client.ts';
import { createClient } from '../client/create-client.ts';
import { SystemClock } from '../clock/system-clock.ts';
import { loadClusterConfig } from '../config/load-config.ts';
import { enqueueSelf } from '../controller/enqueue.ts';
import { ControllerRunner } from '../controller/controller-runner.ts';
import { watchInformer } from '../controller/watch.ts';
import { afterFailure, settled, type Outcome } from '../outcome.ts';
import { silentLogger } from '../testing/silent-logger.ts';
import { CachingClient } from './caching-client.ts';
import { Informers } from './informers.ts';

let plane: ControlPlane;
let direct: Client;

beforeAll(async () => {
  plane = await startControlPlane({});
  direct = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-test' });
});

afterAll(async () => {
  direct?.close();
  await plane.stop();
});

const etcdFolder = (): string => join(plane.dir, 'etcd');
const backupFolder = (): string => join(plane.dir, 'etcd-backup');

async function backUpEtcd(): Promise<void> {
  await plane.killEtcd();
  cpSync(etcdFolder(), backupFolder(), { recursive: true });
  await plane.startEtcd();
}

/** Restores etcd as operators are instructed to: with the API server stopped, because it keeps a cache of its own. */
async function restoreEtcd(): Promise<void> {
  await plane.killApiServer();
  await plane.killEtcd();
  rmSync(etcdFolder(), { recursive: true });
  cpSync(backupFolder(), etcdFolder(), { recursive: true });
  await plane.components.restart('etcd', 0);
  await plane.startApiServer();
}

const at = (name: string): ObjectKey => ({ namespace: 'default', name });
const aMap = (name: string): ConfigMap => ({ metadata: { name, namespace: 'default', labels: { test: 'set-back' } }, data: {} });

/** Returns a controller that marks each object of the test, on stores that doubt their watches sooner than usual. */
function aController(logger = silentLogger()) {
  const clock = new SystemClock();
  const informers = new Informers({ client: direct, clock, logger, stalledAfter: seconds(3) });
  const client = new CachingClient(direct, informers);
  const informer = informers.informer(configMaps, { labelSelector: 'test=set-back' });
  const reconcile = async (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => {
    const held = informer.store.get(key);
    if (held === undefined || held.data?.['marked'] !== undefined) return settled;
    try {
      await client.patch(configMaps, key, { data: { marked: 'yes' } }, { type: 'merge', signal });
      return settled;
    } catch (error) {
      return afterFailure(error);
    }
  };
  const watches = [watchInformer(informer, enqueueSelf)];
  const runner = new ControllerRunner({ name: 'marker', workers: 1, watches, reconcile }, { clock, logger });
  const stop = new AbortController();
  const ended = Promise.all([informers.run(stop.signal), runner.run(stop.signal)]);
  return { client, store: informer.store, stop: () => (stop.abort(), ended) };
}

const namesAndData = (objects: readonly ConfigMap[]): string[] =>
  objects.map((object) => `${object.metadata.name}: ${JSON.stringify(object.data ?? {})}`).sort();
const onServer = async (): Promise<string[]> => namesAndData((await direct.list(configMaps, { labelSelector: 'test=set-back' })).items);

async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(50);
  }
}

it('a store converges to a restored etcd, its controller works on that, and own writes are seen', async () => {
  await direct.create(configMaps, aMap('to-be-marked'));
  await direct.create(configMaps, aMap('deleted-after-the-backup'));
  await backUpEtcd();
  const { client, store, stop } = aController();
  try {
    await until(
      'the controller has marked what there is',
      () => store.list().every(({ data }) => data?.['marked'] === 'yes') && store.size === 2,
    );
    await client.delete(configMaps, at('deleted-after-the-backup'));
    // Far enough ahead that the restored server does not reach these versions within the test.
    for (let count = 0; count < 1_000; count++)
      await direct.patch(configMaps, at('to-be-marked'), { data: { count: String(count) } }, { type: 'merge' });
    await client.create(configMaps, aMap('made-after-the-backup'));
    await until('the store has seen all of it', async () => String(namesAndData(store.list())) === String(await onServer()));

    await restoreEtcd();
    await until('the controller has marked what came back', async () => {
      const held = await onServer().catch(() => []);
      return String(held) === String(['deleted-after-the-backup: {"marked":"yes"}', 'to-be-marked: {"marked":"yes"}']);
    });
    // The server shows a write before its answer arrives.
    await until('the store holds what the server has', async () => String(namesAndData(store.list())) === String(await onServer()));

    const own = await client.create(configMaps, aMap('made-after-the-restore'));
    expect(store.get(keyOf(own))?.metadata.uid).toBe(own.metadata.uid);
    await client.delete(configMaps, keyOf(own));
    expect(store.get(keyOf(own))).toBeUndefined();
  } finally {
    await stop();
  }
});
