/** Every method and every kind of error against a real API server. */
import { urlPath } from './transport/resource-path.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  configMaps,
  customResourceDefinitions,
  namespaces,
  pods,
  secrets,
  type ConfigMap,
  type KubeObject,
  type ResourceType,
  stringifyLossless,
} from '@kruise/objects';
import { minorUnderTest, sinceKubernetes, startControlPlane, type ControlPlane } from '@kruise/testing';
import { ApiError, isFailure } from '../api-error.ts';
import type { Client, WatchEvent } from './client.ts';
import { loadClusterConfig } from '../config/load-config.ts';
import type { RequestRecord } from './caller.ts';
import { createClient } from './create-client.ts';
import { discoverGroupVersion, serverVersion } from './discovery.ts';

let plane: ControlPlane;
let client: Client;
const records: RequestRecord[] = [];
const ns = 'verbs';

beforeAll(async () => {
  plane = await startControlPlane({ apiServerFlags: ['--watch-cache=true'] });
  client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), {
    userAgent: 'kruise-test',
    onRequest: (record) => records.push(record),
  });
  await client.create(namespaces, { metadata: { name: ns } });
});

afterAll(async () => {
  client.close();
  await plane.stop();
});

const aConfigMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({ metadata: { name, namespace: ns }, data });
const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: ns, name });
const pod = (name: string, labels: Record<string, string> = {}): KubeObject =>
  ({
    metadata: { name, namespace: ns, labels },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }], automountServiceAccountToken: false },
  }) as KubeObject;

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`no ApiError but ${String(error)}`);
  return error;
}

describe('reading and writing', () => {
  it('creates, reads, replaces, patches and deletes an object', async () => {
    const made = await client.create(configMaps, aConfigMap('life', { a: '1' }));
    expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'life', namespace: ns }, data: { a: '1' } });
    expect(made.metadata).not.toHaveProperty('managedFields');
    expect(await client.get(configMaps, keyOf('life'))).toEqual(made);
    const replaced = await client.update(configMaps, { ...made, data: { a: '2' } });
    expect(replaced.data).toEqual({ a: '2' });
    const merged = await client.patch(configMaps, keyOf('life'), { data: { b: '3', a: null } }, { type: 'merge' });
    expect(merged.data).toEqual({ b: '3' });
    const listed = await client.patch(configMaps, keyOf('life'), [{ op: 'add', path: '/data/c', value: '4' }], { type: 'json' });
    expect(listed.data).toEqual({ b: '3', c: '4' });
    const applied = await client.patch(
      configMaps,
      keyOf('life'),
      { apiVersion: 'v1', kind: 'ConfigMap', data: { d: '5' } },
      { type: 'apply', fieldManager: 'test', force: true },
    );
    expect(applied.data).toEqual({ b: '3', c: '4', d: '5' });
    expect(await client.delete(configMaps, keyOf('life'))).toBeUndefined();
    expect((await failureOf(client.get(configMaps, keyOf('life')))).failure).toEqual({ kind: 'NotFound' });
  });

  it('a dry run changes nothing', async () => {
    await client.create(configMaps, aConfigMap('dry'), { dryRun: true });
    expect((await failureOf(client.get(configMaps, keyOf('dry')))).code).toBe(404);
  });

  it('a strategic merge patch merges lists by key, and delete returns the terminating object', async () => {
    const made = await client.create(pods, pod('strategic') as never);
    const patched = await client.patch(
      pods,
      keyOf('strategic'),
      { spec: { containers: [{ name: 'main', image: 'registry.example/app:2' }] } },
      { type: 'strategic' },
    );
    expect(patched).toMatchObject({ spec: { containers: [{ name: 'main', image: 'registry.example/app:2' }] } });
    const status = { ...patched, status: { ...(patched as { status?: object }).status, phase: 'Running' } };
    expect((await client.updateStatus(pods, status as never)) as unknown).toMatchObject({ status: { phase: 'Running' } });
    const refused = await failureOf(client.delete(pods, keyOf('strategic'), { preconditions: { uid: 'another' } }));
    expect(refused.failure).toEqual({ kind: 'Conflict' });
    const deleted = await client.delete(pods, keyOf('strategic'), {
      gracePeriodSeconds: 0,
      preconditions: { uid: made.metadata.uid ?? '' },
    });
    expect(deleted?.metadata.uid).toBe(made.metadata.uid);
  });

  it('lists by page, by label and by field, with apiVersion and kind in each item', async () => {
    for (const index of [1, 2, 3])
      await client.create(configMaps, {
        ...aConfigMap(`page-${index}`),
        metadata: { name: `page-${index}`, namespace: ns, labels: { page: index > 1 ? 'late' : 'early' } },
      });
    const first = await client.list(configMaps, { namespace: ns, labelSelector: 'page', limit: 2 });
    expect(first.items.map((item) => [item.apiVersion, item.kind, item.metadata.name])).toEqual([
      ['v1', 'ConfigMap', 'page-1'],
      ['v1', 'ConfigMap', 'page-2'],
    ]);
    expect(first.metadata.remainingItemCount ?? 1).toBe(1);
    const second = await client.list(configMaps, {
      namespace: ns,
      labelSelector: 'page',
      limit: 2,
      continue: first.metadata.continue ?? '',
    });
    expect(second.items.map((item) => item.metadata.name)).toEqual(['page-3']);
    expect(second.metadata.continue).toBeUndefined();
    const late = await client.list(configMaps, { labelSelector: 'page in (late)' });
    expect(late.items).toHaveLength(2);
    const one = await client.list(configMaps, { namespace: ns, fieldSelector: 'metadata.name=page-2', resourceVersion: '0' });
    expect(one.items.map((item) => item.metadata.name)).toEqual(['page-2']);
    expect((await client.list(configMaps, { labelSelector: 'page=none' })).items).toEqual([]);
  });

  it('passes items one by one on request', async () => {
    const names: string[] = [];
    const list = await client.list(namespaces, { onItem: (item) => names.push(item.metadata.name) });
    expect(list.items).toEqual([]);
    expect(Number(list.metadata.resourceVersion)).toBeGreaterThan(0);
    expect(names).toEqual(expect.arrayContaining(['default', 'kube-system', ns]));
  });

  it('keeps unknown fields and integers beyond 2^53 of custom resources when they are written back', async () => {
    const things = await defineThings();
    const body =
      '{"apiVersion":"test.kruise.dev/v1","kind":"Thing","metadata":{"name":"big","namespace":"verbs"},"spec":{"big":9223372036854775807,"replicas":1,"small":7}}';
    await client.raw(urlPath`/apis/test.kruise.dev/v1/namespaces/${ns}/things`, { method: 'POST', body });
    const seen = await client.get(things, keyOf('big'));
    expect(seen.spec.big).toBe(9223372036854775807n);
    expect(seen.spec.small).toBe(7);
    await client.update(things, { ...seen, spec: { ...seen.spec, more: 'x' } });
    expect(stringifyLossless((await client.get(things, keyOf('big'))).spec)).toBe(
      '{"big":9223372036854775807,"more":"x","replicas":1,"small":7}',
    );
    expect((await client.list(things, { namespace: ns })).items[0]?.spec).toMatchObject({ big: 9223372036854775807n });
    const scale = await client.getScale(things, keyOf('big'));
    expect(scale).toMatchObject({ apiVersion: 'autoscaling/v1', kind: 'Scale' });
    const scaled = await client.updateScale(things, keyOf('big'), { ...scale, spec: { replicas: 3 } });
    expect(scaled.spec).toEqual({ replicas: 3 });
  });

  it('evicts, and a disruption budget refuses with TooManyRequests immediately', async () => {
    await client.create(pods, pod('evict-me', { app: 'evict' }) as never);
    await bindAndRun('evict-me');
    const budgets: ResourceType = {
      group: 'policy',
      version: 'v1',
      kind: 'PodDisruptionBudget',
      plural: 'poddisruptionbudgets',
      namespaced: true,
    };
    const budget = await client.create(budgets, {
      metadata: { name: 'none', namespace: ns },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'evict' } } },
    } as KubeObject);
    await client.updateStatus(budgets, {
      ...budget,
      status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    } as KubeObject);
    expect((await failureOf(client.evict(keyOf('evict-me')))).failure.kind).toBe('TooManyRequests');
    await client.delete(budgets, keyOf('none'));
    await client.evict(keyOf('evict-me'), { gracePeriodSeconds: 0 });
    expect((await failureOf(client.get(pods, keyOf('evict-me')))).failure.kind).toBe('NotFound');
  });

  it('returns the server version and the kinds of a group version', async () => {
    expect(await serverVersion(client)).toMatchObject({ major: 1, minor: minorUnderTest() });
    const core = await discoverGroupVersion(client, { group: '', version: 'v1' });
    expect(core?.map((resource) => resource.name)).toEqual(expect.arrayContaining(['pods', 'pods/eviction']));
    expect(await discoverGroupVersion(client, { group: 'nobody.example', version: 'v1' })).toBeUndefined();
    expect(await client.raw(urlPath`/readyz`)).toBe('ok');
  });
});

describe('failures', () => {
  it('AlreadyExists and Conflict differ though both are 409', async () => {
    const made = await client.create(configMaps, aConfigMap('twice'));
    expect((await failureOf(client.create(configMaps, aConfigMap('twice')))).failure).toEqual({ kind: 'AlreadyExists' });
    await client.update(configMaps, { ...made, data: { a: '1' } });
    const conflict = await failureOf(client.update(configMaps, { ...made, data: { a: '2' } }));
    expect([conflict.failure.kind, conflict.code, conflict.reason]).toEqual(['Conflict', 409, 'Conflict']);
  });

  it('Invalid names every faulty field', async () => {
    const error = await failureOf(client.create(pods, { metadata: { name: 'Bad_Name', namespace: ns }, spec: { containers: [] } }));
    expect(error.failure.kind === 'Invalid' ? error.failure.causes.map((cause) => cause.field) : []).toEqual([
      'metadata.name',
      'spec.containers',
    ]);
  });

  it('Forbidden, BadRequest, UnsupportedMediaType and MethodNotAllowed are returned as such', async () => {
    const stranger = createClient(loadClusterConfig({ path: plane.kubeconfigFor('stranger') }), { userAgent: 'stranger' });
    expect((await failureOf(stranger.list(secrets))).failure).toEqual({ kind: 'Forbidden' });
    stranger.close();
    expect((await failureOf(client.list(configMaps, { labelSelector: '!!' }))).failure).toEqual({ kind: 'BadRequest' });
    const things = await defineThings();
    expect((await failureOf(client.patch(things, keyOf('big'), {}, { type: 'strategic' }))).failure).toEqual({
      kind: 'UnsupportedMediaType',
    });
    expect((await failureOf(client.raw(urlPath`/api/v1/namespaces/default/pods`, { method: 'PATCH', body: {} }))).failure.kind).toBe(
      'MethodNotAllowed',
    );
  });

  it('an unknown token is Unauthorized, and the token is not in the message', async () => {
    const { user: _user, ...config } = loadClusterConfig({ path: plane.kubeconfigPath });
    const anonymous = createClient({ ...config, user: { token: 'not-a-real-token' } }, { userAgent: 'anonymous' });
    const error = await failureOf(anonymous.list(configMaps));
    expect(error.failure).toEqual({ kind: 'Unauthorized' });
    expect(error.message).not.toContain('not-a-real-token');
    anonymous.close();
  });

  it('impersonation acts as the other user', async () => {
    const config = loadClusterConfig({ path: plane.kubeconfigPath });
    const other = createClient(
      { ...config, impersonate: { user: 'jane', groups: ['dev', 'ops'], extra: { 'example.com/x': ['1'] } } },
      { userAgent: 'as' },
    );
    const review = await other.raw(urlPath`/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
      method: 'POST',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(review).toMatchObject({
      status: { userInfo: { username: 'jane', groups: ['dev', 'ops', 'system:authenticated'], extra: { 'example.com/x': ['1'] } } },
    });
    other.close();
  });

  it('a call without a name never becomes a call on the collection', async () => {
    for (const name of ['', '.', '..', 'a/b'])
      expect((await failureOf(client.delete(configMaps, keyOf(name)))).failure).toEqual({ kind: 'BadRequest' });
    expect((await failureOf(client.create(configMaps, { metadata: { name: 'lost' } }))).failure).toEqual({ kind: 'BadRequest' });
  });

  it('an aborted call is Aborted, a late one Unreachable', async () => {
    expect((await failureOf(client.get(configMaps, keyOf('x'), { signal: AbortSignal.abort() }))).failure).toEqual({ kind: 'Aborted' });
    const black = createClient({ server: 'https://192.0.2.1:6443', user: {}, namespace: 'default' }, { userAgent: 'x', env: {} });
    expect((await failureOf(black.list(configMaps, { timeoutMs: 50 }))).failure.kind).toBe('Unreachable');
    black.close();
  });

  it('records each request for metrics', () => {
    expect(records.some((record) => record.method === 'POST' && record.code === 201 && record.durationMs > 0)).toBe(true);
    expect(new Set(records.map((record) => record.host))).toEqual(new Set([new URL(plane.server).host]));
  });
});

describe('watching', () => {
  it('resumes at a resourceVersion and ends with Aborted when aborted', async () => {
    const before = await client.create(configMaps, aConfigMap('watched'));
    await client.patch(configMaps, keyOf('watched'), { data: { a: '1' } }, { type: 'merge' });
    await client.delete(configMaps, keyOf('watched'));
    const stop = new AbortController();
    const seen: string[] = [];
    const error = await failureOf(
      (async () => {
        for await (const event of client.watch(configMaps, {
          signal: stop.signal,
          namespace: ns,
          resourceVersion: before.metadata.resourceVersion ?? '',
        })) {
          seen.push(event.type);
          if (event.type === 'DELETED') stop.abort();
        }
      })(),
    );
    expect(seen).toEqual(['MODIFIED', 'DELETED']);
    expect(error.failure).toEqual({ kind: 'Aborted' });
  });

  sinceKubernetes(32, it)('sends the state as initial events and marks their end', async () => {
    const events: WatchEvent<KubeObject>[] = [];
    const { signal } = new AbortController();
    for await (const event of client.watch(namespaces, {
      signal,
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    })) {
      events.push(event);
      if (event.type === 'BOOKMARK') break;
    }
    expect(events.at(-1)).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true });
    const initial = events
      .slice(0, -1)
      .map((event) =>
        event.type === 'ADDED'
          ? `${event.type} ${event.object.kind}${'managedFields' in event.object.metadata ? ' with managedFields' : ''}`
          : event.type,
      );
    expect(initial.length).toBeGreaterThanOrEqual(2);
    expect(new Set(initial)).toEqual(new Set(['ADDED Namespace']));
  });

  it('finishes when the server ends it', async () => {
    const seen: unknown[] = [];
    for await (const event of client.watch(secrets, { signal: new AbortController().signal, timeoutSeconds: 1 })) seen.push(event);
    expect(seen).toEqual([]);
  });

  it('a resourceVersion that is too old has the failure `Gone`', async () => {
    const events = client.watch(configMaps, { signal: new AbortController().signal, resourceVersion: '1' });
    await plane.restartApiServer();
    await compact();
    const error = await failureOf(
      (async () => {
        for await (const event of events) expect(event).toBeUndefined();
      })(),
    );
    expect(error.failure).toEqual({ kind: 'Gone' });
  });
});

async function compact(): Promise<void> {
  const made = await client.create(configMaps, aConfigMap('compact'));
  const body = JSON.stringify({ revision: made.metadata.resourceVersion, physical: true });
  await fetch(`${plane.etcdServer}/v3/kv/compaction`, { method: 'POST', body });
}

interface Thing extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}
const thingType: ResourceType<Thing> = { group: 'test.kruise.dev', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };

async function defineThings(): Promise<ResourceType<Thing>> {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  };
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
  const crd = {
    metadata: { name: 'things.test.kruise.dev' },
    spec: {
      group: 'test.kruise.dev',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema, subresources }],
    },
  };
  await client.create(customResourceDefinitions, crd as KubeObject).catch((error: unknown) => {
    if (!isFailure(error, 'AlreadyExists')) throw error;
  });
  await plane.waitFor(`/apis/test.kruise.dev/v1/namespaces/${ns}/things`);
  return thingType;
}

async function bindAndRun(name: string): Promise<void> {
  await client.raw(urlPath`/api/v1/namespaces/${ns}/pods/${name}/binding`, {
    method: 'POST',
    body: { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'n1' } },
  });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await client.patch(pods, keyOf(name), { status }, { type: 'merge', subresource: 'status' });
}
