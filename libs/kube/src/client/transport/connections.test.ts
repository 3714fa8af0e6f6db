/** Which connections calls use, and what happens to them when a call ends without an answer. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { configMaps, referenceLimits } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { urlPath } from './resource-path.ts';
import { connectTo, TlsServer, type TlsConnection } from './tls-server.testing.ts';

const key = { namespace: 'n', name: 'a' };
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function setUp(protocol: 'h2' | 'http/1.1'): Promise<TlsConnection> {
  const connection = await connectTo(new TlsServer(protocol), { token: 't' });
  ends.push(connection.end);
  return connection;
}

describe.each(['h2', 'http/1.1'] as const)('over %s', (protocol) => {
  it('the next call after one that reached its deadline without an answer uses a new connection', async () => {
    const { server, client } = await setUp(protocol);
    await Promise.all(Array.from({ length: 3 }, async () => await client.get(configMaps, key)));
    const before = server.connections;
    server.delayMs = () => 2_000;
    await expect(client.get(configMaps, key, { timeoutMs: 200 })).rejects.toThrow('no answer within 200 ms');
    server.delayMs = () => 0;
    await client.get(configMaps, key);
    expect(server.connections - before).toBe(1);
  });

  it('the next call after one whose answer stopped in the middle uses a new connection', async () => {
    const { server, client } = await setUp(protocol);
    await Promise.all(Array.from({ length: 3 }, async () => await client.get(configMaps, key)));
    const before = server.connections;
    server.stopsAfterHead = true;
    await expect(client.get(configMaps, key, { timeoutMs: 200 })).rejects.toThrow('no answer within 200 ms');
    server.stopsAfterHead = false;
    await client.get(configMaps, key);
    expect(server.connections - before).toBe(1);
  });

  it('a read of the metadata requests only that, and returns only that when the server sends the whole object', async () => {
    const { server, client } = await setUp(protocol);
    const asked: (string | undefined)[] = [];
    server.answer = (_arrival, { headers }) => (asked.push(headers.accept), 200);
    server.body = JSON.stringify({ kind: 'PartialObjectMetadata', metadata: { name: 'a' }, data: { key: 'value' } });
    expect(await client.get(configMaps, key, { part: 'Metadata' })).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
    });
    await client.get(configMaps, key);
    expect(asked).toEqual(['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json', 'application/json']);
  });

  it('an answer that exceeds the limit of the client ends the call, which is not repeated, and keeps the connection', async () => {
    const { server, client } = await setUp(protocol);
    const small = server.body;
    server.body = `{"metadata":{"name":"${'a'.repeat(referenceLimits.answerBytes.value)}"}}`;
    for (const read of [() => client.get(configMaps, key), () => client.raw(urlPath`/api/v1`)])
      await expect(read()).rejects.toThrow(`has more than ${String(referenceLimits.answerBytes.value)} bytes`);
    expect(server.arrivals).toHaveLength(2);
    await expect(client.raw(urlPath`/api/v1`, { mostBytes: 2 * referenceLimits.answerBytes.value })).resolves.toBeDefined();
    server.body = small;
    await expect(client.get(configMaps, key)).resolves.toBeDefined();
  });

  it('a call that its caller aborts for its own reasons is no sign of a dead connection', async () => {
    const { server, client } = await setUp(protocol);
    await Promise.all([client.get(configMaps, key), client.get(configMaps, key)]);
    const before = server.connections;
    server.delayMs = () => 2_000;
    const stop = new AbortController();
    const given = client.get(configMaps, key, { signal: stop.signal });
    stop.abort();
    await expect(given).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
    server.delayMs = () => 0;
    await client.get(configMaps, key);
    expect(server.connections - before).toBe(0);
  });
});

it('calls that start while the first connection is opened wait for it and open no other', async () => {
  const { server, client } = await setUp('h2');
  const letIn = server.hold();
  const calls = [1, 2, 3].map(() => client.get(configMaps, key));
  await eventually(() => server.connections > 0);
  calls.push(client.get(configMaps, key));
  letIn();
  await Promise.all(calls);
  expect(server.connections).toBe(1);
});
