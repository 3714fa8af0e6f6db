/** How calls behave when the credentials of their connections are replaced, over a server that accepts only the ones it is set to. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { configMaps } from '@kruise/objects';
import type { Client } from '../client.ts';
import type { UserAuth } from '../../config/cluster-config.ts';
import { clientPair, connectTo, TlsServer, type TlsConnection } from './tls-server.testing.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const key = { namespace: 'n', name: 'a' };
let dir: string;
const ends: (() => void)[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'renewed-'));
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(dir, { recursive: true, force: true });
});

const inDir = (name: string): string => join(dir, name);

async function setUp(server: TlsServer, user: UserAuth): Promise<TlsConnection> {
  const connection = await connectTo(server, user);
  ends.push(connection.end);
  return connection;
}

/** Makes the server answer 200 only to connections of that name. */
const wantOnly = (server: TlsServer, name: string): void => {
  server.answer = ({ shownBy }) => (shownBy === name ? 200 : 401);
};

function writePair(name: string): UserAuth {
  const pair = clientPair(name);
  writeFileSync(inDir('tls.crt'), pair.certificatePem);
  writeFileSync(inDir('tls.key'), pair.keyPem);
  return { clientCertificate: { certificate: { file: inDir('tls.crt') }, key: { file: inDir('tls.key') } } };
}

/** Returns a plugin that prints the content of a file and counts its runs. */
function plugin(): UserAuth {
  const command = inDir('plugin');
  writeFileSync(command, `#!/bin/sh\necho run >> ${inDir('runs')}\nsleep 0.1\ncat ${inDir('credential')}\n`);
  chmodSync(command, 0o700);
  const exec = { apiVersion, command, args: [], env: {}, installHint: '', provideClusterInfo: false, interactiveMode: 'Never' } as const;
  return { exec };
}

const credentialOf = (status: object): string => JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
const runs = (): number => readFileSync(inDir('runs'), 'utf8').trim().split('\n').length;
const tenGets = async (client: Client): Promise<readonly unknown[]> =>
  await Promise.all(Array.from({ length: 10 }, async () => (await client.get(configMaps, key)).metadata.name));
const tenAnswers = Array<string>(10).fill('a');

describe.each(['h2', 'http/1.1'] as const)('over %s', (protocol) => {
  it('a replaced pair of files is presented on a new connection once the server refuses the old one', async () => {
    const { server, client } = await setUp(new TlsServer(protocol), writePair('before'));
    wantOnly(server, 'before');
    await client.get(configMaps, key);
    writePair('after');
    wantOnly(server, 'after');
    expect(await tenGets(client)).toEqual(tenAnswers);
    server.arrivals.length = 0;
    await client.get(configMaps, key);
    expect(server.arrivals).toEqual([{ method: 'GET', shownBy: 'after' }]);
  });

  it('a certificate that a plugin replaces is presented on a new connection, after one run for all calls that were refused', async () => {
    const show = (name: string): void => {
      const pair = clientPair(name);
      writeFileSync(inDir('credential'), credentialOf({ clientCertificateData: pair.certificatePem, clientKeyData: pair.keyPem }));
    };
    show('before');
    const { server, client } = await setUp(new TlsServer(protocol), plugin());
    wantOnly(server, 'before');
    await client.get(configMaps, key);
    expect(runs()).toBe(1);
    show('after');
    wantOnly(server, 'after');
    expect(await tenGets(client)).toEqual(tenAnswers);
    expect(runs()).toBe(2);
  });

  it('a token that was refused makes the plugin run once, however late other calls are refused', async () => {
    writeFileSync(inDir('credential'), credentialOf({ token: 'before' }));
    const { server, client } = await setUp(new TlsServer(protocol), plugin());
    await client.get(configMaps, key);
    writeFileSync(inDir('credential'), credentialOf({ token: 'after' }));
    let refused = 0;
    server.answer = (_arrival, request) => (request.headers.authorization === 'Bearer after' ? 200 : 401);
    // One after the other: the last call is refused long after the plugin has returned its new token.
    server.delayMs = (status) => (status === 401 ? 50 * refused++ : 0);
    expect(await tenGets(client)).toEqual(tenAnswers);
    expect(runs()).toBe(2);
  });

  it('a server that closes connections without a certificate makes calls fail with its reason', async () => {
    const { client } = await setUp(new TlsServer(protocol, true), {});
    // Five attempts and their waits take less than a second; the handshakes take longer on a busy machine.
    await expect(client.get(configMaps, key, { timeoutMs: 20_000 })).rejects.toThrow('alert certificate required');
  });

  it('a refusal that new credentials do not fix is reported to the caller', async () => {
    const { server, client } = await setUp(new TlsServer(protocol), writePair('before'));
    server.answer = () => 401;
    await expect(client.get(configMaps, key)).rejects.toMatchObject({ failure: { kind: 'Unauthorized' } });
    expect(server.arrivals).toHaveLength(2);
  });
});
