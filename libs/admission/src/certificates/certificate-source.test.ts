import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeApi, FakeClock, silentLogger } from '@kruise/kube/testing';
import { instant, milliseconds, secrets } from '@kruise/objects';
import { externalSource, fileSource, secretSource } from './certificate-source.ts';
import { generateKeyMaterial } from './generate.ts';
import type { KeyMaterial } from './key-material.ts';

const day = 24 * 3600 * 1000;
const key = { namespace: 'kruise-system', name: 'kruise-webhook-certs' };
const host = 'kruise-webhook-service.kruise-system.svc';
const signal = new AbortController().signal;
const clock = new FakeClock(instant(Date.now()));
const options = { host, renewBefore: milliseconds(180 * day), clock, logger: silentLogger() };
const textOf = (api: FakeApi, name: string): string => Buffer.from(api.peek(secrets, key)?.data?.[name] ?? '', 'base64').toString();

describe('certificates in a Secret', () => {
  it('are generated once, under six keys, and then only read', async () => {
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

  it('of two replicas that start at the same time are those of the faster one', async () => {
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
  it('are generated once and then only read', async () => {
    const directory = join(await mkdtemp(join(tmpdir(), 'certs-')), 'certs');
    const first = await fileSource(directory, options).ensure(signal);
    expect(await fileSource(directory, options).ensure(signal)).toEqual(first);
    await rm(directory, { recursive: true });
  });
});

describe('certificates from outside', () => {
  let old: KeyMaterial;
  let next: KeyMaterial;
  beforeAll(async () => {
    old = await generateKeyMaterial(host, clock.now());
    next = await generateKeyMaterial(host, clock.now());
  });
  const seed = (api: FakeApi, texts: Readonly<Record<string, string>>): void => {
    const data = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
    api.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key, data });
  };
  const textsOf = (material: KeyMaterial): Readonly<Record<string, string>> => ({
    'ca.crt': material.caCert,
    'tls.key': material.key,
    'tls.crt': material.cert,
  });
  const silent = { logger: silentLogger() };

  it('are read unchanged, and missing ones are an error that names what is needed', async () => {
    const api = new FakeApi();
    const { caCert, key: privateKey, cert } = old;
    await expect(externalSource(api, key, silent).ensure(signal)).rejects.toMatchObject({ failure: { kind: 'NotFound' } });
    seed(api, {});
    await expect(externalSource(api, key, silent).ensure(signal)).rejects.toThrow(
      'Secret kruise-system/kruise-webhook-certs cannot be used for the webhooks: it must have ca.crt, tls.crt and tls.key',
    );
    seed(api, { 'ca.crt': caCert, 'tls.key': privateKey, 'tls.crt': cert });
    expect(await externalSource(api, key, silent).ensure(signal)).toEqual({ caCert, key: privateKey, cert });
  });

  it.each<{ name: string; change: (former: KeyMaterial, latter: KeyMaterial) => Readonly<Record<string, string>>; why: string }>([
    {
      name: 'the key of another certificate',
      change: (former, latter) => ({ ...textsOf(latter), 'tls.key': former.key }),
      why: 'the private key does not belong to the certificate',
    },
    { name: 'an invalid key', change: (_, latter) => ({ ...textsOf(latter), 'tls.key': 'x' }), why: 'unreadable' },
    { name: 'an invalid authority', change: (_, latter) => ({ ...textsOf(latter), 'ca.crt': 'x' }), why: 'unreadable' },
    {
      name: 'a chain that breaks off',
      change: (_, latter) => ({
        ...textsOf(latter),
        'tls.crt': `${latter.cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      }),
      why: 'unreadable',
    },
    { name: 'no key', change: (_, latter) => ({ ...textsOf(latter), 'tls.key': '' }), why: 'it must have ca.crt, tls.crt and tls.key' },
  ])('stay the previous ones while there is $name, which is reported once', async ({ change, why }) => {
    const api = new FakeApi();
    const reported: string[] = [];
    const source = externalSource(api, key, { ...silent, onUnusable: (_, text) => reported.push(text) });
    const { key: oldKey, cert: oldCert } = old;
    seed(api, textsOf(old));
    await source.ensure(signal);
    seed(api, change(old, next));
    for (let time = 0; time < 3; time++) expect(await source.ensure(signal)).toMatchObject({ key: oldKey, cert: oldCert });
    expect(reported).toEqual([expect.stringContaining(why)]);
    seed(api, textsOf(next));
    expect(await source.ensure(signal)).toMatchObject({ key: next.key, cert: next.cert });
  });

  it('that cannot be presented are an error when there were none before', async () => {
    const api = new FakeApi();
    seed(api, { ...textsOf(old), 'tls.key': next.key });
    await expect(externalSource(api, key, silent).ensure(signal)).rejects.toThrow('the private key does not belong to the certificate');
  });
});
