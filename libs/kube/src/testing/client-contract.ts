/** What the runtime expects of any API server. It runs against the fake in unit tests and against a real server in integration tests. */
import {
  configMaps,
  keyOf,
  leases,
  pods,
  secrets,
  type ConfigMap,
  type Lease,
  type ObjectKey,
  type Pod,
  type Secret,
} from '@kruise/objects';
import { expect, it } from '@jest/globals';
import { ApiError } from '../api-error.ts';
import type { Client, WatchEvent } from '../client/client.ts';

const kindOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'succeeded',
    (error: unknown) => (error instanceof ApiError ? error.failure.kind : String(error)),
  );

const configMap = (name: string, data: Record<string, string>, more: object = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', ...more },
  data,
});

const pod = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'a' }], automountServiceAccountToken: false },
});

let made = 0;
const fresh = (): string => `contract-${process.pid}-${String(++made).padStart(3, '0')}`;

/** Defines one test, as `it` does. */
type DefinesTest = (name: string, test: () => Promise<void>) => void;

/**
 * Defines the tests of the contract.
 *
 * @param connect returns a client of a server whose namespace `default` is writable
 * @param onceListsStream defines the tests of streaming lists, which older releases of Kubernetes refuse
 */
export function describesClientContract(connect: () => Client, onceListsStream: DefinesTest = it): void {
  describesWrites(connect);
  describesParts(connect);
  describesReads(connect);
  describesMetadata(connect, onceListsStream);
  describesStreamingLists(connect, onceListsStream);
}

const secret = (name: string, label: string, type: string): Secret => ({
  metadata: { name, namespace: 'default', labels: { contract: label }, annotations: { note: 'kept' } },
  type,
  data: { '.dockerconfigjson': 'e30=' },
});

function describesMetadata(connect: () => Client, define: DefinesTest): void {
  const type = 'kubernetes.io/dockerconfigjson';
  const scope = (label: string) =>
    ({ namespace: 'default', labelSelector: `contract=${label}`, fieldSelector: `type=${type}`, part: 'Metadata' }) as const;
  const ofWhole = ({ metadata }: Secret): Secret => ({ apiVersion: 'v1', kind: 'Secret', metadata });

  it('lists and watches only the metadata of objects, with their kind', async () => {
    const client = connect();
    const label = fresh();
    const first = await client.create(secrets, secret(fresh(), label, type));
    await client.create(secrets, secret(fresh(), label, 'Opaque'));
    const list = await client.list(secrets, scope(label));
    expect(list.items).toStrictEqual([ofWhole(first)]);
    const taken: Secret[] = [];
    await client.list(secrets, { ...scope(label), onItem: (item) => taken.push(item) });
    expect(taken.every((item) => !('data' in item))).toBe(true);
    const stop = new AbortController();
    const watching = client.watch(secrets, { ...scope(label), signal: stop.signal, resourceVersion: list.metadata.resourceVersion });
    const second = await client.update(secrets, { ...first, data: { '.dockerconfigjson': 'eyJhIjoxfQ==' } });
    await client.delete(secrets, keyOf(first));
    const seen: unknown[] = [];
    for await (const event of watching) {
      seen.push(event);
      if (event.type === 'DELETED') break;
    }
    stop.abort();
    expect(seen).toStrictEqual([
      { type: 'MODIFIED', object: ofWhole(second) },
      { type: 'DELETED', object: { ...ofWhole(second), metadata: { ...second.metadata, resourceVersion: expect.any(String) } } },
    ]);
  });

  define('starts a streaming list of metadata', async () => {
    const client = connect();
    const label = fresh();
    const made = await client.create(secrets, secret(fresh(), label, type));
    const stop = new AbortController();
    const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
    const seen: unknown[] = [];
    for await (const event of client.watch(secrets, { ...scope(label), ...initial, signal: stop.signal })) {
      seen.push(event);
      if (event.type === 'BOOKMARK') break;
    }
    stop.abort();
    expect(seen).toMatchObject([
      { type: 'ADDED', object: { kind: 'Secret' } },
      { type: 'BOOKMARK', initialEventsEnd: true },
    ]);
    expect(seen[0]).toStrictEqual({ type: 'ADDED', object: ofWhole(made) });
  });
}

function describesStreamingLists(connect: () => Client, define: DefinesTest): void {
  define('starts a streaming list with what is there, closed by a bookmark', async () => {
    const client = connect();
    const label = fresh();
    await client.create(configMaps, configMap(fresh(), { a: '1' }, { labels: { contract: label } }));
    const stop = new AbortController();
    const options = {
      signal: stop.signal,
      namespace: 'default',
      labelSelector: `contract=${label}`,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    } as const;
    const seen: string[] = [];
    for await (const event of client.watch(configMaps, options)) {
      seen.push(storyOf(event));
      if (event.type === 'BOOKMARK') break;
    }
    stop.abort();
    expect(seen).toEqual(['ADDED 1', 'BOOKMARK end']);
  });
}

function describesWrites(connect: () => Client): void {
  it('creates with uid, creation time and version, and refuses the same name', async () => {
    const client = connect();
    const created = await client.create(configMaps, configMap(fresh(), { a: '1' }));
    expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(created.metadata.creationTimestamp).toMatch(/Z$/);
    expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(0);
    expect(await kindOf(client.create(configMaps, configMap(created.metadata.name, {})))).toBe('AlreadyExists');
    expect(await client.get(configMaps, keyOf(created))).toEqual(created);
  });

  it('generates names for generateName', async () => {
    const client = connect();
    const base = configMap('', {});
    const { name: _name, ...metadata } = { ...base.metadata, generateName: 'contract-generated-' };
    const [first, second] = [
      await client.create(configMaps, { ...base, metadata } as ConfigMap),
      await client.create(configMaps, { ...base, metadata } as ConfigMap),
    ];
    expect(first.metadata.name).toMatch(/^contract-generated-.{5}$/);
    expect(second.metadata.name).not.toBe(first.metadata.name);
  });

  it('refuses an update of an older version, accepts one without a version, and keeps the version when nothing changes', async () => {
    const client = connect();
    const first = await client.create(configMaps, configMap(fresh(), { a: '1' }));
    const second = await client.update(configMaps, { ...first, data: { a: '2' } });
    expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion));
    expect(second.metadata.uid).toBe(first.metadata.uid);
    expect(await kindOf(client.update(configMaps, { ...first, data: { a: '3' } }))).toBe('Conflict');
    const same = await client.update(configMaps, second);
    expect(same.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    const unconditional = await client.update(configMaps, configMap(first.metadata.name, { a: '4' }));
    expect(unconditional.data).toEqual({ a: '4' });
    expect(
      await kindOf(
        client.update(configMaps, {
          ...unconditional,
          metadata: { ...unconditional.metadata, uid: '00000000-0000-0000-0000-000000000000' },
        }),
      ),
    ).toBe('Conflict');
  });

  it('returns not found for get, update, patch and delete of a missing object', async () => {
    const client = connect();
    const key: ObjectKey = { namespace: 'default', name: fresh() };
    expect(await kindOf(client.get(configMaps, key))).toBe('NotFound');
    expect(await kindOf(client.patch(configMaps, key, { data: {} }, { type: 'merge' }))).toBe('NotFound');
    expect(await kindOf(client.delete(configMaps, key))).toBe('NotFound');
    expect(await kindOf(client.patch(leases, key, { spec: {} }, { type: 'strategic' }))).toBe('NotFound');
  });

  it('merges patches, with the version in the patch as precondition', async () => {
    const client = connect();
    const first = await client.create(configMaps, configMap(fresh(), { a: '1', b: '2' }));
    const second = await client.patch(configMaps, keyOf(first), { data: { a: null, c: '3' } }, { type: 'merge' });
    expect(second.data).toEqual({ b: '2', c: '3' });
    expect(
      await kindOf(
        client.patch(
          configMaps,
          keyOf(first),
          { metadata: { resourceVersion: first.metadata.resourceVersion }, data: {} },
          { type: 'merge' },
        ),
      ),
    ).toBe('Conflict');
    const third = await client.patch(configMaps, keyOf(first), [{ op: 'replace', path: '/data/b', value: '9' }], { type: 'json' });
    expect(third.data).toEqual({ b: '9', c: '3' });
  });
}

function describesParts(connect: () => Client): void {
  it('keeps an object with finalizers until the last one is removed', async () => {
    const client = connect();
    const first = await client.create(configMaps, configMap(fresh(), {}, { finalizers: ['example.com/hold'] }));
    await client.delete(configMaps, keyOf(first));
    const held = await client.get(configMaps, keyOf(first));
    expect(held.metadata.deletionTimestamp).toMatch(/Z$/);
    const { finalizers: _gone, ...metadata } = held.metadata;
    await client.update(configMaps, { ...held, metadata });
    expect(await kindOf(client.get(configMaps, keyOf(first)))).toBe('NotFound');
  });

  it('deletes only what the preconditions name', async () => {
    const client = connect();
    const first = await client.create(configMaps, configMap(fresh(), {}));
    expect(await kindOf(client.delete(configMaps, keyOf(first), { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } }))).toBe(
      'Conflict',
    );
    await client.delete(configMaps, keyOf(first), { preconditions: { uid: first.metadata.uid ?? '' } });
    expect(await kindOf(client.get(configMaps, keyOf(first)))).toBe('NotFound');
  });

  it('separates status from the rest, for Pods except for labels', async () => {
    const client = connect();
    const first = await client.create(pods, pod(fresh()));
    const withStatus = { ...first, metadata: { ...first.metadata, labels: { x: 'y' } }, status: { ...first.status, message: 'seen' } };
    const updated = await client.updateStatus(pods, withStatus);
    expect([updated.status?.message, updated.metadata.labels]).toEqual(['seen', { x: 'y' }]);
    const relabelled = await client.update(pods, {
      ...updated,
      metadata: { ...updated.metadata, labels: { x: 'z' } },
      status: { message: 'ignored' },
    });
    expect([relabelled.status?.message, relabelled.metadata.labels, relabelled.metadata.generation]).toEqual([
      'seen',
      { x: 'z' },
      first.metadata.generation,
    ]);
    await client.delete(pods, keyOf(first), { gracePeriodSeconds: 0 });
  });
}

function describesReads(connect: () => Client): void {
  it('lists by label and field', async () => {
    const client = connect();
    const label = fresh();
    for (const tier of ['a', 'b', 'c']) await client.create(configMaps, configMap(fresh(), {}, { labels: { contract: label, tier } }));
    const tiers = async (labelSelector: string): Promise<unknown[]> =>
      (await client.list(configMaps, { namespace: 'default', labelSelector })).items.map((item) => item.metadata.labels?.['tier']);
    expect(await tiers(`contract=${label},tier!=b`)).toEqual(['a', 'c']);
    expect(await tiers(`contract=${label},tier in (b, c)`)).toEqual(['b', 'c']);
    expect(await tiers(`contract=${label},!tier`)).toEqual([]);
    const [one] = (await client.list(configMaps, { namespace: 'default', labelSelector: `contract=${label}`, limit: 1 })).items;
    const byName = await client.list(configMaps, { namespace: 'default', fieldSelector: `metadata.name=${one?.metadata.name}` });
    expect(byName.items).toEqual([one]);
  });

  it('sends a watch each change after its version, in order, and what enters and leaves its selection', async () => {
    const client = connect();
    const label = fresh();
    const name = fresh();
    const start = (await client.list(configMaps, { namespace: 'default' })).metadata.resourceVersion;
    const first = await client.create(configMaps, configMap(name, { a: '1' }, { labels: { contract: label } }));
    const stop = new AbortController();
    const watching = client.watch(configMaps, {
      signal: stop.signal,
      namespace: 'default',
      labelSelector: `contract=${label}`,
      resourceVersion: start,
    });
    const seen: string[] = [];
    const done = (async () => {
      for await (const event of watching) {
        seen.push(storyOf(event));
        if (seen.length === 4) break;
      }
    })();
    const second = await client.update(configMaps, { ...first, data: { a: '2' } });
    const third = await client.update(configMaps, { ...second, metadata: { ...second.metadata, labels: {} } });
    await client.update(configMaps, { ...third, metadata: { ...third.metadata, labels: { contract: label } } });
    await done;
    stop.abort();
    expect(seen).toEqual(['ADDED 1', 'MODIFIED 2', 'DELETED 2', 'ADDED 2']);
    await client.delete(configMaps, keyOf(first));
  });

  it('accepts one of two writers of the same version', async () => {
    const client = connect();
    const lease: Lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: fresh(), namespace: 'default' },
      spec: { holderIdentity: 'nobody' },
    };
    const held = await client.create(leases, lease);
    const outcomes = await Promise.all(
      ['a', 'b'].map((holderIdentity) => kindOf(client.update(leases, { ...held, spec: { holderIdentity } }))),
    );
    expect(outcomes.toSorted()).toEqual(['Conflict', 'succeeded']);
    await client.delete(leases, keyOf(held));
  });
}

function storyOf(event: WatchEvent<ConfigMap>): string {
  return event.type === 'BOOKMARK' ? `BOOKMARK ${event.initialEventsEnd ? 'end' : ''}` : `${event.type} ${event.object.data?.['a']}`;
}
