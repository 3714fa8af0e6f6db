import { urlPath } from '../client/transport/resource-path.ts';
import { getEventListeners } from 'node:events';
import { configMaps, pods } from '@kruise/objects';
import { describe, expect, it } from '@jest/globals';
import type { CallOptions, Client } from '../client/client.ts';
import { fencedClient } from './fenced-client.ts';
import { LeadershipLost } from './leadership.ts';

/** Returns a client that answers each call with its arguments, and a guard that a test can end. */
function setUp() {
  const calls: { readonly name: string; readonly given: readonly unknown[] }[] = [];
  const answer =
    (name: string) =>
    (...given: readonly unknown[]): unknown => {
      calls.push({ name, given });
      return name === 'watch' || name === 'close' ? name : Promise.resolve(name);
    };
  const inner = new Proxy({}, { get: (_target, name) => answer(String(name)) }) as Client;
  const leading = new AbortController();
  const guard = { leading: leading.signal, assertLeading: () => leading.signal.throwIfAborted() };
  const lose = () => leading.abort(new LeadershipLost('lost'));
  return { calls, leading, lose, client: fencedClient(inner, guard) };
}

const object = { metadata: { name: 'a', namespace: 'n' } };
const key = { name: 'a', namespace: 'n' };
const scale = { metadata: key, spec: { replicas: 1 } };
const patch = { data: {} };
const patchOptions = { type: 'merge' } as const;
const watchOptions = { signal: new AbortController().signal };

const reads: readonly [string, (client: Client) => unknown, string, readonly unknown[]][] = [
  ['get', (client) => client.get(pods, key, { timeoutMs: 5 }), 'get', [pods, key, { timeoutMs: 5 }]],
  ['list', (client) => client.list(pods, { namespace: 'n' }), 'list', [pods, { namespace: 'n' }]],
  ['watch', (client) => client.watch(pods, watchOptions), 'watch', [pods, watchOptions]],
  ['getScale', (client) => client.getScale(pods, key, {}), 'getScale', [pods, key, {}]],
  ['raw', (client) => client.raw(urlPath`/version`), 'raw', ['/version', undefined]],
  ['raw without a method', (client) => client.raw(urlPath`/version`, { headers: {} }), 'raw', ['/version', { headers: {} }]],
  ['raw GET', (client) => client.raw(urlPath`/version`, { method: 'GET' }), 'raw', ['/version', { method: 'GET' }]],
  ['close', (client) => client.close(), 'close', []],
];

/** Each write with the arguments before its options. */
const writes: readonly [string, (client: Client, options?: CallOptions) => Promise<unknown>, readonly unknown[], object][] = [
  ['create', (client, options) => client.create(configMaps, object, options), [configMaps, object], {}],
  ['update', (client, options) => client.update(configMaps, object, options), [configMaps, object], {}],
  ['updateStatus', (client, options) => client.updateStatus(configMaps, object, options), [configMaps, object], {}],
  [
    'patch',
    (client, options) => client.patch(configMaps, key, patch, { ...patchOptions, ...options }),
    [configMaps, key, patch],
    patchOptions,
  ],
  ['delete', (client, options) => client.delete(configMaps, key, options), [configMaps, key], {}],
  ['updateScale', (client, options) => client.updateScale(pods, key, scale, options), [pods, key, scale], {}],
  ['evict', (client, options) => client.evict(key, options), [key], {}],
  ['raw', (client, options) => client.raw(urlPath`/x`, { method: 'POST', ...options }), ['/x'], { method: 'POST' }],
];

describe('reading', () => {
  it.each(reads)('%s is passed on unchanged, leading or not', async (_name, read, name, given) => {
    const t = setUp();
    t.lose();
    expect(await read(t.client)).toBe(name);
    expect(t.calls).toEqual([{ name, given }]);
  });
});

describe('writing', () => {
  it.each(writes)('%s checks the guard again before it is sent, and ends with the leadership', async (name, write, given, options) => {
    const t = setUp();
    expect(await write(t.client)).toBe(name);
    const beforeSend = expect.any(Function);
    expect(t.calls).toEqual([{ name, given: [...given, { ...options, signal: t.leading.signal, beforeSend }] }]);
    const sent = t.calls[0]?.given.at(-1) as CallOptions;
    expect(() => sent.beforeSend?.()).not.toThrow();
    t.lose();
    expect(() => sent.beforeSend?.()).toThrow(LeadershipLost);
    await expect(write(t.client)).rejects.toBeInstanceOf(LeadershipLost);
    expect(t.calls).toHaveLength(1);
  });

  it.each([
    { name: 'the caller aborts', end: (stop: AbortController) => stop.abort(new Error('enough')), reason: /enough/ },
    { name: 'the leadership ends', end: (_stop: AbortController, lose: () => void) => lose(), reason: /lost/ },
  ])('ends when $name, and leaves no listener on either signal', async ({ end, reason }) => {
    const t = setUp();
    const stop = new AbortController();
    const listeners = () => [stop.signal, t.leading.signal].map((signal) => getEventListeners(signal, 'abort').length);
    const written = t.client.create(configMaps, object, { signal: stop.signal });
    const { signal } = t.calls[0]?.given.at(-1) as Required<CallOptions>;
    expect([signal.aborted, listeners()]).toEqual([false, [1, 1]]);
    end(stop, t.lose);
    expect([signal.aborted, String(signal.reason)]).toEqual([true, expect.stringMatching(reason)]);
    await written;
    expect(listeners()).toEqual([0, 0]);
  });

  it("also runs its caller's own check", async () => {
    const t = setUp();
    const asked: string[] = [];
    await t.client.create(configMaps, object, { beforeSend: () => void asked.push('own') });
    const sent = t.calls[0]?.given.at(-1) as CallOptions;
    sent.beforeSend?.();
    t.lose();
    expect(() => sent.beforeSend?.()).toThrow(LeadershipLost);
    expect(asked).toEqual(['own']);
  });

  it('is aborted from the start when its caller has aborted before', async () => {
    const t = setUp();
    await t.client.create(configMaps, object, { signal: AbortSignal.abort(new Error('enough')) });
    const { signal } = t.calls[0]?.given.at(-1) as Required<CallOptions>;
    expect([signal.aborted, signal.reason]).toEqual([true, new Error('enough')]);
  });
});
