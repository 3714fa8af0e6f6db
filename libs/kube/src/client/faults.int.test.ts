/** How the client behaves when the network or the server misbehaves, against a real API server behind the fault proxy. */
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { configMaps, namespaces, type ConfigMap, type KubeObject } from '@kruise/objects';
import { startControlPlane, startFaultProxy, type ControlPlane, type FaultProxy } from '@kruise/testing';
import { ApiError } from '../api-error.ts';
import type { Client } from './client.ts';
import { loadClusterConfig } from '../config/load-config.ts';
import { createClient, type ClientOptions } from './create-client.ts';

let plane: ControlPlane;
let proxy: FaultProxy;
let client: Client;
const direct: { client: Client | undefined } = { client: undefined };
const ns = 'faults';
const configMapsPath = `/api/v1/namespaces/${ns}/configmaps`;

const clientOf = (options: Partial<ClientOptions> = {}): Client =>
  createClient(loadClusterConfig({ path: proxy.kubeconfigPath }), { userAgent: 'kruise-test', ...options });
const truth = (): Client => (direct.client ??= createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'truth' }));

beforeAll(async () => {
  plane = await startControlPlane();
  proxy = await startFaultProxy({ kubeconfigPath: plane.kubeconfigPath });
  client = clientOf();
  await truth().create(namespaces, { metadata: { name: ns } });
});

afterEach(() => {
  proxy.heal();
  proxy.requests.length = 0;
});

afterAll(async () => {
  client.close();
  direct.client?.close();
  await proxy.stop();
  await plane.stop();
});

const aConfigMap = (name: string): ConfigMap => ({ metadata: { name, namespace: ns }, data: {} });
const keyOf = (name: string): { namespace: string; name: string } => ({ namespace: ns, name });

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`no ApiError but ${String(error)}`);
  return error;
}

const exists = async (name: string): Promise<boolean> => {
  const list = await truth().list(configMaps, { namespace: ns, fieldSelector: `metadata.name=${name}` });
  return list.items.length === 1;
};

async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('the condition that the test waits for did not hold');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Opens a watch and waits for its first event, because before it has the head of the answer the client would reopen it by itself.
 *
 * @returns how the watch will fail
 */
async function openWatch(by: Client): Promise<{ readonly failure: Promise<ApiError> }> {
  const first = Promise.withResolvers<void>();
  const watching = async (): Promise<void> => {
    for await (const event of by.watch(configMaps, { signal: new AbortController().signal, namespace: ns })) first.resolve(void event);
  };
  const failure = failureOf(watching());
  await first.promise;
  return { failure };
}

const watchBegun = async (): Promise<void> => await until(() => proxy.requests.some((request) => request.watch && request.code === 200));

async function drain(events: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('a write', () => {
  it.each([{ kind: 'ResetAfterCommit' as const }, { kind: 'DropAfterCommit' as const }])(
    'whose answer is lost ($kind) is Unreachable and is not sent again',
    async (fault) => {
      const name = fault.kind.toLowerCase();
      proxy.inject({ match: { method: 'POST' }, fault });
      expect((await failureOf(client.create(configMaps, aConfigMap(name)))).failure.kind).toBe('Unreachable');
      expect(await exists(name)).toBe(true);
      expect(proxy.count({ method: 'POST' })).toBe(1);
    },
  );

  it.each([{ kind: 'ResetBefore' as const }, { kind: 'DropConnection' as const }])(
    'that breaks before the server saw it ($kind) is not sent again either, because the client cannot know',
    async (fault) => {
      const name = `lost-${fault.kind.toLowerCase()}`;
      proxy.inject({ match: { method: 'POST' }, fault });
      expect((await failureOf(client.create(configMaps, aConfigMap(name)))).failure.kind).toBe('Unreachable');
      expect(await exists(name)).toBe(false);
      expect(proxy.count({ method: 'POST' })).toBe(1);
    },
  );

  it('that the server refused unread is sent again', async () => {
    proxy.inject({ match: { method: 'POST' }, fault: { kind: 'ResetBefore', refused: true }, times: 2 });
    await client.create(configMaps, aConfigMap('refused'));
    expect(proxy.count({ method: 'POST' })).toBe(3);
  });

  it('waits as long as a 429 or 503 requires, then is sent again', async () => {
    for (const status of [429, 503]) {
      proxy.inject({ match: { method: 'POST' }, fault: { kind: 'Answer', status, reason: 'TooManyRequests', retryAfterSeconds: 1 } });
      const begun = performance.now();
      await client.create(configMaps, aConfigMap(`throttled-${status}`));
      expect(performance.now() - begun).toBeGreaterThan(950);
    }
  });

  it('fails with the requested wait when that is longer than the call may take', async () => {
    proxy.inject({ match: { method: 'POST' }, fault: { kind: 'Answer', status: 429, reason: 'TooManyRequests', retryAfterSeconds: 60 } });
    const error = await failureOf(client.create(configMaps, aConfigMap('later'), { timeoutMs: 30_000 }));
    expect(error.failure).toEqual({ kind: 'TooManyRequests', retryAfter: 60_000 });
    expect(proxy.count({ method: 'POST' })).toBe(1);
  });

  it('receives a 500 or 409 unchanged, once', async () => {
    proxy.inject({ match: { method: 'PUT' }, fault: { kind: 'Answer', status: 500, reason: 'InternalError' } });
    proxy.inject({ match: { method: 'PUT' }, fault: { kind: 'Answer', status: 409, reason: 'Conflict' } });
    expect((await failureOf(client.update(configMaps, aConfigMap('a')))).failure).toEqual({ kind: 'ServerError', status: 500 });
    expect((await failureOf(client.update(configMaps, aConfigMap('a')))).failure).toEqual({ kind: 'Conflict' });
    expect(proxy.count({ method: 'PUT' })).toBe(2);
  });

  it('that is not answered in time is Unreachable', async () => {
    proxy.inject({ match: { method: 'POST' }, fault: { kind: 'Hang' } });
    expect((await failureOf(client.create(configMaps, aConfigMap('hang'), { timeoutMs: 100 }))).message).toContain(
      'no answer within 100 ms',
    );
  });
});

describe('a read', () => {
  it.each([
    { kind: 'ResetBefore' as const },
    { kind: 'DropConnection' as const },
    { kind: 'ResetAfterCommit' as const },
    { kind: 'DropAfterCommit' as const },
    { kind: 'Truncate' as const, bytes: 20 },
  ])('is repeated when its answer is lost ($kind)', async (fault) => {
    proxy.inject({ match: { method: 'GET' }, fault });
    expect((await client.list(configMaps, { namespace: ns })).metadata.resourceVersion).toMatch(/^\d+$/);
    expect(proxy.count({ method: 'GET' })).toBe(2);
  });

  it('is not restarted when items of it were passed on', async () => {
    proxy.inject({ match: { method: 'GET' }, fault: { kind: 'Truncate', bytes: 5_000 } });
    const names: string[] = [];
    for (const index of [1, 2, 3]) await truth().create(configMaps, { ...aConfigMap(`large-${index}`), data: { x: 'x'.repeat(4_000) } });
    const error = await failureOf(
      client.list(configMaps, { namespace: ns, labelSelector: '', onItem: (item) => names.push(item.metadata.name) }),
    );
    expect(error.failure.kind).toBe('Unreachable');
    expect(names.length).toBeGreaterThan(0);
    expect(proxy.count({ method: 'GET' })).toBe(1);
  });

  it('returns pages of proxies as errors in plain text', async () => {
    const page = '<html><head><style>p{}</style></head><body><h1>Bad gateway</h1></body></html>';
    proxy.inject({ match: {}, fault: { kind: 'Answer', status: 502, body: page, contentType: 'text/html' } });
    proxy.inject({ match: {}, fault: { kind: 'Answer', status: 200, body: page, contentType: 'text/html' } });
    proxy.inject({ match: {}, fault: { kind: 'Answer', status: 200, body: '' } });
    const bad = await failureOf(client.get(configMaps, keyOf('a')));
    expect(bad.failure).toEqual({ kind: 'ServerError', status: 502 });
    expect(bad.message).toBe(`GET ${configMapsPath}/a: the server answered 502: Bad gateway`);
    expect((await failureOf(client.get(configMaps, keyOf('a')))).message).toContain('not the requested JSON');
    expect((await failureOf(client.list(configMaps))).message).toContain('the list ended in the middle');
  });

  it('can be answered with stale data, as tests need it', async () => {
    proxy.inject({ match: { path: configMapsPath }, fault: { kind: 'Stale' }, times: Infinity });
    const first = await client.list(configMaps, { namespace: ns });
    await truth().create(configMaps, aConfigMap('unseen'));
    expect(await client.list(configMaps, { namespace: ns })).toEqual(first);
    proxy.heal();
    expect((await client.list(configMaps, { namespace: ns })).items.map((item) => item.metadata.name)).toContain('unseen');
  });
});

describe('a watch', () => {
  const watch = (resourceVersion: string): AsyncIterable<{ readonly type: string; readonly object?: KubeObject }> =>
    client.watch(configMaps, { signal: new AbortController().signal, namespace: ns, resourceVersion, timeoutSeconds: 60 });

  it('receives events dropped, doubled, replaced and ended as the proxy is configured', async () => {
    const start = (await truth().create(configMaps, aConfigMap('events'))).metadata.resourceVersion ?? '';
    for (const value of ['1', '2', '3', '4']) await truth().patch(configMaps, keyOf('events'), { data: { value } }, { type: 'merge' });
    const edits = ['drop', 'duplicate', 'pass', 'end'] as const;
    proxy.inject({ match: { watch: true }, fault: { kind: 'WatchEvents', edit: (_event, index) => edits[index] ?? 'pass' } });
    const values = (await drain(watch(start))).map((event) => (event as { object: ConfigMap }).object.data?.value);
    expect(values).toEqual(['2', '2', '3']);
    proxy.inject({ match: { watch: true }, fault: { kind: 'WatchEvents', edit: () => 'break' } });
    expect((await failureOf(drain(watch(start)))).failure.kind).toBe('Unreachable');
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    proxy.inject({ match: { watch: true }, fault: { kind: 'WatchEvents', edit: () => ({ replace: { type: 'ERROR', object: status } }) } });
    expect((await failureOf(drain(watch(start)))).failure).toEqual({ kind: 'Gone' });
  });

  it('that breaks is Unreachable; one that is refused with 410 has the failure `Gone`', async () => {
    proxy.inject({ match: { watch: true }, fault: { kind: 'Answer', status: 410, reason: 'Expired' } });
    expect((await failureOf(drain(watch('1')))).failure).toEqual({ kind: 'Gone' });
    const failed = await openWatch(client);
    proxy.dropConnections();
    expect((await failed.failure).failure.kind).toBe('Unreachable');
  });
});

describe('connections', () => {
  it('the connect timeout does not end a connection that is open', async () => {
    const own = clientOf({ timeouts: { connectMs: 3_000 } });
    const before = proxy.connections;
    await own.list(configMaps, { namespace: ns });
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    await own.list(configMaps, { namespace: ns });
    expect(proxy.connections - before).toBe(1);
    own.close();
  });

  it('a connection that becomes silent is detected by PING, and calls continue over a new one', async () => {
    const quick = clientOf({ timeouts: { pingIntervalMs: 100, pingTimeoutMs: 5_000 } });
    await quick.list(configMaps, { namespace: ns });
    const watching = await openWatch(quick);
    proxy.freeze();
    const read = quick.list(configMaps, { namespace: ns });
    expect((await watching.failure).message).toContain('PING');
    proxy.dropConnections();
    proxy.thaw();
    expect((await read).items.length).toBeGreaterThan(0);
    quick.close();
  });

  it('calls that end without an answer abandon their connections; the next one opens another', async () => {
    const own = clientOf();
    await own.list(configMaps, { namespace: ns });
    const before = proxy.connections;
    proxy.freezeOpen();
    expect((await failureOf(own.list(configMaps, { namespace: ns, timeoutMs: 300 }))).message).toContain('no answer within 300 ms');
    expect((await own.list(configMaps, { namespace: ns, timeoutMs: 60_000 })).metadata.resourceVersion).toMatch(/^\d+$/);
    expect(proxy.connections - before).toBe(1);
    own.close();
    proxy.dropConnections();
    proxy.thaw();
  });

  it('a call that ends late on a working connection aborts no other call, and the connection stays in use', async () => {
    const own = clientOf();
    await own.list(configMaps, { namespace: ns });
    const before = proxy.connections;
    proxy.inject({ match: { method: 'GET', path: `${configMapsPath}/never` }, fault: { kind: 'Hang' } });
    proxy.inject({ match: { method: 'GET', path: configMapsPath }, fault: { kind: 'Delay', delayMs: 6_000 } });
    const never = failureOf(own.get(configMaps, keyOf('never'), { timeoutMs: 4_000 }));
    const slow = own.list(configMaps, { namespace: ns });
    await failureOf(own.get(configMaps, keyOf('none')));
    expect((await never).failure.kind).toBe('Unreachable');
    expect((await slow).items.length).toBeGreaterThan(0);
    await own.list(configMaps, { namespace: ns });
    expect(proxy.connections - before).toBe(0);
    own.close();
  });

  it.each([
    { open: 'its connection', others: 0 },
    // Many calls at the same time use more than one connection.
    { open: 'every connection', others: 600 },
  ])(
    'a call that ends late after other data arrived is followed by one on a new connection when $open became silent since',
    async ({ others }) => {
      const own = clientOf({ timeouts: { pingIntervalMs: 600_000 } });
      await Promise.all(Array.from({ length: others + 1 }, async () => await failureOf(own.get(configMaps, keyOf('none')))));
      const before = proxy.connections;
      proxy.inject({ match: { method: 'GET', path: `${configMapsPath}/never` }, fault: { kind: 'Hang' } });
      const never = failureOf(own.get(configMaps, keyOf('never'), { timeoutMs: 4_000 }));
      await failureOf(own.get(configMaps, keyOf('none')));
      proxy.freezeOpen();
      expect((await never).failure.kind).toBe('Unreachable');
      expect((await own.list(configMaps, { namespace: ns, timeoutMs: 60_000 })).metadata.resourceVersion).toMatch(/^\d+$/);
      expect(proxy.connections - before).toBe(1);
      own.close();
      proxy.dropConnections();
      proxy.thaw();
    },
  );

  it('an unreachable server makes calls fail quickly, and they succeed when it returns', async () => {
    await client.list(configMaps, { namespace: ns });
    await proxy.refuse();
    const timeoutMs = 300_000;
    const begun = performance.now();
    expect((await failureOf(client.create(configMaps, aConfigMap('away'), { timeoutMs }))).failure.kind).toBe('Unreachable');
    expect(performance.now() - begun).toBeLessThan(timeoutMs / 5);
    await proxy.accept();
    expect((await client.create(configMaps, aConfigMap('back'))).metadata.name).toBe('back');
  });

  it('continues after the API server was restarted', async () => {
    const own = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'restart' });
    await own.list(configMaps, { namespace: ns });
    await plane.restartApiServer();
    expect((await own.create(configMaps, aConfigMap('after-restart'))).metadata.name).toBe('after-restart');
    own.close();
  });

  it('carries many parallel calls, in more than one session when streams run out', async () => {
    const own = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'many' });
    const names = Array.from({ length: 600 }, (_, index) => `kruise-none-${index}`);
    const failures = await Promise.all(names.map((name) => failureOf(own.get(configMaps, keyOf(name)))));
    expect(new Set(failures.map((error) => error.failure.kind))).toEqual(new Set(['NotFound']));
    own.close();
  });

  it('close ends every call and watch', async () => {
    const own = clientOf();
    const watching = failureOf(drain(own.watch(configMaps, { signal: new AbortController().signal })));
    await watchBegun();
    proxy.inject({ match: { method: 'GET' }, fault: { kind: 'Hang' } });
    const hanging = failureOf(own.get(configMaps, keyOf('a')));
    await until(() => proxy.count({ path: `${configMapsPath}/a` }) > 0);
    own.close();
    expect((await hanging).failure.kind).toBe('Unreachable');
    expect((await watching).failure.kind).toBe('Unreachable');
    expect((await failureOf(own.list(configMaps))).message).toContain('the client is closed');
  });
});

describe('through a forward proxy', () => {
  let forward: Server;
  const tunnels = new Set<Socket>();
  const asked: string[] = [];

  beforeAll(async () => {
    forward = createServer();
    forward.on('connect', (request, socket: Socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`);
      const url = new URL(`http://${request.url}`);
      const to = connect(Number(url.port), url.hostname, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(to).pipe(socket);
      });
      for (const end of [to, socket]) tunnels.add(end.on('error', () => undefined));
    });
    await new Promise<void>((resolve) => forward.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => {
    for (const socket of tunnels) socket.destroy();
    forward.close();
  });

  it('connects with CONNECT and its credentials', async () => {
    const { port } = forward.address() as AddressInfo;
    const config = { ...loadClusterConfig({ path: plane.kubeconfigPath }), proxyUrl: `http://me:pw@127.0.0.1:${port}` };
    const own = createClient(config, { userAgent: 'proxied' });
    expect((await own.list(configMaps, { namespace: ns })).items.length).toBeGreaterThan(0);
    expect(asked).toEqual([`${new URL(plane.server).host} Basic ${Buffer.from('me:pw').toString('base64')}`]);
    own.close();
  });

  it('a proxy that refuses is named without its password', async () => {
    const refusing = createServer().on('connect', (_request, socket: Socket) =>
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    );
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const config = {
      ...loadClusterConfig({ path: plane.kubeconfigPath }),
      proxyUrl: `http://me:hidden@127.0.0.1:${(refusing.address() as AddressInfo).port}`,
    };
    const own = createClient(config, { userAgent: 'proxied' });
    const { message } = await failureOf(own.list(configMaps));
    expect(message).toContain('the proxy refused to connect');
    expect(message).not.toContain('hidden');
    own.close();
    refusing.close();
  });
});
