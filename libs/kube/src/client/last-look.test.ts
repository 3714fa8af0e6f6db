/** A call that has ended, or is no longer allowed, sends no byte to the server, however long it waited for what it needs. */
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { configMaps } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { ApiError } from '../api-error.ts';
import type { Client } from './client.ts';
import type { UserAuth } from '../config/cluster-config.ts';
import { connectTo, TlsServer, type TlsConnection } from './transport/tls-server.testing.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const object = { metadata: { namespace: 'n', name: 'a' } };
let dir: string;
const ends: (() => void)[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'last-look-'));
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(dir, { recursive: true, force: true });
});

async function setUp(protocol: 'h2' | 'http/1.1', user: UserAuth): Promise<TlsConnection> {
  const connection = await connectTo(new TlsServer(protocol), user);
  ends.push(connection.end);
  return connection;
}

/** Returns a plugin that answers once the test allows it. */
function slowPlugin(): { readonly user: UserAuth; readonly begun: () => boolean; readonly allow: () => void } {
  const command = join(dir, 'plugin');
  const credential = JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: 't' } });
  const script = `#!/bin/sh\ntouch ${dir}/begun\nwhile [ -d ${dir} ] && [ ! -e ${dir}/allowed ]; do sleep 0.02; done\necho '${credential}'\n`;
  writeFileSync(command, script);
  chmodSync(command, 0o700);
  const exec = { apiVersion, command, args: [], env: {}, installHint: '', provideClusterInfo: false, interactiveMode: 'Never' } as const;
  return { user: { exec }, begun: () => existsSync(join(dir, 'begun')), allow: () => writeFileSync(join(dir, 'allowed'), '') };
}

const failureOf = async (call: Promise<unknown>): Promise<ApiError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ApiError)) throw new Error(`no ApiError but ${String(error)}`);
  return error;
};

/** Shows with a following read that the connection works and that nothing was sent before it. */
async function onlyTheReadArrived(client: Client, server: TlsServer): Promise<void> {
  await client.get(configMaps, { namespace: 'n', name: 'a' });
  expect(server.arrivals.map(({ method }) => method)).toEqual(['GET']);
}

describe.each(['h2', 'http/1.1'] as const)('over %s', (protocol) => {
  it('a write whose fence closes while it waits for its connection is not sent', async () => {
    const { server, client } = await setUp(protocol, { token: 't' });
    const letIn = server.hold();
    const fence = { leading: true };
    const beforeSend = (): void => {
      if (!fence.leading) throw new ApiError('leadership lost', { kind: 'Aborted' });
    };
    const write = failureOf(client.create(configMaps, object, { beforeSend }));
    await eventually(() => server.connections > 0);
    fence.leading = false;
    letIn();
    expect(await write).toMatchObject({ message: 'leadership lost', failure: { kind: 'Aborted' } });
    await onlyTheReadArrived(client, server);
  });

  it('a write that is aborted while it waits for its connection ends immediately and is not sent', async () => {
    const { server, client } = await setUp(protocol, { token: 't' });
    const letIn = server.hold();
    const stop = new AbortController();
    const write = failureOf(client.create(configMaps, object, { signal: stop.signal }));
    await eventually(() => server.connections > 0);
    stop.abort();
    expect((await write).failure.kind).toBe('Aborted');
    letIn();
    await onlyTheReadArrived(client, server);
  });

  it.each([
    { name: 'is aborted', kind: 'Aborted' },
    { name: 'reaches its deadline', kind: 'Unreachable' },
  ])('a write that $name while a plugin runs for its credentials ends then, and is not sent', async ({ kind }) => {
    const plugin = slowPlugin();
    const { server, client } = await setUp(protocol, plugin.user);
    const stop = new AbortController();
    const limits = kind === 'Aborted' ? { signal: stop.signal } : { timeoutMs: 300 };
    const write = failureOf(client.create(configMaps, object, limits));
    await eventually(() => plugin.begun());
    stop.abort();
    expect((await write).failure.kind).toBe(kind);
    plugin.allow();
    await onlyTheReadArrived(client, server);
  });
});
