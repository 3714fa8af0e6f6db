import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { instant, milliseconds, secrets } from '@kruise/objects';
import { externalSource, fileSource, secretSource } from './certificate-source.ts';
import { generateKeyMaterial } from './generate.ts';

const day = 24 * 3600 * 1000;
const key = { namespace: 'kruise-system', name: 'kruise-webhook-certs' };
const host = 'kruise-webhook-service.kruise-system.svc';
const signal = new AbortController().signal;
const clock = new FakeClock(instant(Date.now()));
const options = { host, renewBefore: milliseconds(180 * day), clock, logger: silentLogger() };
const textOf = (api: FakeApi, name: string): string => Buffer.from(api.peek(secrets, key)?.data?.[name] ?? '', 'base64').toString();

describe('certificates in a Secret', () => {
  it('are made once, under six keys, and then only read', async () => {
    const api = new FakeApi();
    const first = await secretSource(api, key, options).ensure(signal);
    expect(Object.keys(api.peek(secrets, key)?.data ?? {}).sort()).toEqual([
      'ca-cert.pem',
      'ca-key.pem',
      'cert.pem',
      'key.pem',
      'tls.crt',
      'tls.key',
    ]);
    expect([textOf(api, 'tls.crt'), textOf(api, 'tls.key')]).toEqual([first.cert, first.key]);
    const version = api.peek(secrets, key)?.metadata.resourceVersion;
    expect(await secretSource(api, key, options).ensure(signal)).toEqual(first);
    expect(api.peek(secrets, key)?.metadata.resourceVersion).toBe(version);
  });

  it('fill a Secret that the installer left empty', async () => {
    const api = new FakeApi();
    api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, type: 'Opaque' });
    await secretSource(api, key, options).ensure(signal);
    expect(textOf(api, 'ca-cert.pem')).toContain('BEGIN CERTIFICATE');
  });

  it('that end too soon, or are for another host, are renewed under the same CA', async () => {
    const api = new FakeApi();
    const first = await secretSource(api, key, options).ensure(signal);
    const renewed = await secretSource(api, key, { ...options, renewBefore: milliseconds(3700 * day) }).ensure(signal);
    const moved = await secretSource(api, key, { ...options, host: 'other.svc' }).ensure(signal);
    expect(new Set([first, renewed, moved].map(({ caCert }) => caCert)).size).toBe(1);
    expect(new Set([first, renewed, moved].map(({ cert }) => cert)).size).toBe(3);
  });

  it('of two replicas that start at once are those of the one that was faster', async () => {
    const api = new FakeApi();
    const tries = await Promise.allSettled([
      secretSource(api, key, options).ensure(signal),
      secretSource(api, key, options).ensure(signal),
    ]);
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const settled = await Promise.all([secretSource(api, key, options).ensure(signal), secretSource(api, key, options).ensure(signal)]);
    expect(settled[0]).toEqual(settled[1]);
  });
});

describe('certificates in files', () => {
  it('are made once and then only read', async () => {
    const directory = join(await mkdtemp(join(tmpdir(), 'certs-')), 'certs');
    const first = await fileSource(directory, options).ensure(signal);
    expect(await fileSource(directory, options).ensure(signal)).toEqual(first);
    await rm(directory, { recursive: true });
  });
});

describe('certificates from outside', () => {
  it('are read as they are, and missing ones are an error that says what is needed', async () => {
    const api = new FakeApi();
    const { caCert, key: privateKey, cert } = await generateKeyMaterial(host, clock.now());
    await expect(externalSource(api, key).ensure(signal)).rejects.toMatchObject({ failure: { kind: 'NotFound' } });
    api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, data: {} });
    await expect(externalSource(api, key).ensure(signal)).rejects.toThrow(
      'Secret kruise-system/kruise-webhook-certs must have ca.crt, tls.crt and tls.key',
    );
    const data = Object.fromEntries(
      Object.entries({ 'ca.crt': caCert, 'tls.key': privateKey, 'tls.crt': cert }).map(([name, text]) => [
        name,
        Buffer.from(text).toString('base64'),
      ]),
    );
    api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, data });
    expect(await externalSource(api, key).ensure(signal)).toEqual({ caCert, key: privateKey, cert });
  });
});
