import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthority, issueCertificate } from '@kruise/testing';
import { Credentials } from './credentials.ts';
import { loadClusterConfig } from './load-config.ts';
import { expiryOf, OidcTokens } from './oidc-tokens.ts';
import type { OidcConfig } from './cluster-config.ts';

const authority = createAuthority('issuer');
const now = Date.parse('2026-01-01T00:00:00Z');

/** Returns an ID token. Only the issuer and the API server check its signature. */
const idToken = (name: string, expiresAt = now + 3_600_000): string =>
  [{ alg: 'none' }, { sub: name, exp: expiresAt / 1000 }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
  '.x';

/** What the issuer received, and what it answers. */
interface Issuer {
  readonly forms: Readonly<Record<string, string>>[];
  discovery: object;
  answer: { readonly status: number; readonly body: unknown };
}

let server: Server;
let url: string;
let folder: string;
let issuer: Issuer;

beforeAll(async () => {
  const { certificatePem, keyPem } = issueCertificate(authority, { commonName: 'localhost', ipAddresses: ['127.0.0.1'] });
  server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    void text(request).then((form) => {
      const isDiscovery = request.url === '/realm/.well-known/openid-configuration';
      if (!isDiscovery) issuer.forms.push({ path: `${request.method} ${request.url}`, ...Object.fromEntries(new URLSearchParams(form)) });
      const { status, body } = isDiscovery ? { status: 200, body: issuer.discovery } : issuer.answer;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oidc-'));
  issuer = {
    forms: [],
    discovery: { token_endpoint: `${url}/token` },
    answer: { status: 200, body: { id_token: idToken('new'), refresh_token: 'second' } },
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const held = (more: Partial<OidcConfig> = {}): OidcConfig => ({
  file: join(folder, 'config'),
  issuer: url,
  clientId: 'kubernetes',
  certificateAuthority: { data: authority.certificatePem },
  ...more,
});
const tokensOf = (more: Partial<OidcConfig>): OidcTokens => new OidcTokens(held(more), () => now);

/** Writes a kubeconfig with a user of the issuer and another user. */
function writeKubeconfig(token: string): string {
  const path = join(folder, 'config');
  writeFileSync(join(folder, 'ca.pem'), authority.certificatePem);
  writeFileSync(
    path,
    `apiVersion: v1
kind: Config
current-context: a
clusters: [ { name: c, cluster: { server: "https://127.0.0.1:1" } } ]
contexts: [ { name: a, context: { cluster: c, user: jane } } ]
users:
  - name: other
    user: { token: secret }
  # Logs in by the browser.
  - name: jane
    user:
      auth-provider:
        name: oidc
        config:
          idp-issuer-url: ${url}/
          idp-certificate-authority: ca.pem
          client-id: kubernetes
          client-secret: hidden
          id-token: ${token}
          refresh-token: first
`,
    { mode: 0o600 },
  );
  return path;
}

describe('an ID token', () => {
  it.each<[what: string, token: string, expiry: number]>([
    ['of an issuer', idToken('a', 5_000), 5_000],
    ['without claims', 'a', 0],
    ['with claims that are no JSON', 'a.b.c', 0],
    ['without an expiry', `a.${Buffer.from('{}').toString('base64url')}.c`, 0],
  ])('%s has its expiry', (_what, token, expiry) => {
    expect(expiryOf(token)).toBe(expiry);
  });

  it.each<[leftMs: number, then: string, asked: number]>([
    [10_001, idToken('a', now + 10_001), 0],
    [10_000, idToken('new'), 1],
  ])('that is valid for another %i ms is sent or renewed', async (leftMs, then, asked) => {
    writeKubeconfig('old');
    const tokens = tokensOf({ idToken: idToken('a', now + leftMs), refreshToken: 'first' });
    expect(await tokens.authorization()).toBe(`Bearer ${then}`);
    expect(issuer.forms).toHaveLength(asked);
  });

  it('that has expired is renewed once for many calls', async () => {
    const tokens = tokensOf({ idToken: idToken('a', now), refreshToken: 'first', clientSecret: 'hidden' });
    writeKubeconfig('old');
    const sent = await Promise.all([tokens.authorization(), tokens.authorization()]);
    expect(sent).toEqual([`Bearer ${idToken('new')}`, `Bearer ${idToken('new')}`]);
    expect(issuer.forms).toEqual([
      { path: 'POST /realm/token', grant_type: 'refresh_token', refresh_token: 'first', client_id: 'kubernetes', client_secret: 'hidden' },
    ]);
  });

  it('that was refused is renewed with the newest refresh token', async () => {
    writeKubeconfig('old');
    const tokens = tokensOf({ idToken: idToken('a'), refreshToken: 'first' });
    const version = tokens.version;
    tokens.forget();
    await tokens.authorization();
    expect(tokens.version).toBe(version + 1);
    tokens.forget();
    issuer.answer = { status: 200, body: { id_token: idToken('third') } };
    expect(await tokens.authorization()).toBe(`Bearer ${idToken('third')}`);
    expect(issuer.forms.map((form) => form['refresh_token'])).toEqual(['first', 'second']);
  });

  it('without a refresh token cannot be renewed', async () => {
    const tokens = tokensOf({ idToken: idToken('a', now) });
    expect(tokens.renewable).toBe(false);
    await expect(tokens.authorization()).rejects.toThrow(
      'user.auth-provider.config.id-token: is absent or expired, and without refresh-token',
    );
  });
});

describe('a kubeconfig with an auth-provider', () => {
  it('logs in, and has the new tokens afterwards, with its comments, its mode and its other users', async () => {
    const path = writeKubeconfig('old');
    const before = readFileSync(path, 'utf8');
    const link = join(folder, 'link');
    symlinkSync(path, link);
    expect(await new Credentials(loadClusterConfig({ path: link, env: {} })).authorization()).toBe(`Bearer ${idToken('new')}`);
    const after = before.replace('id-token: old', `id-token: ${idToken('new')}`).replace('refresh-token: first', 'refresh-token: second');
    expect(readFileSync(link, 'utf8')).toBe(after);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(['ca.pem', 'config', 'link']);
  });

  it('that another program has renewed meanwhile is left as it is', async () => {
    const path = writeKubeconfig('old');
    const config = loadClusterConfig({ path, env: {} });
    const renewed = readFileSync(path, 'utf8').replace('refresh-token: first', 'refresh-token: theirs');
    writeFileSync(path, renewed);
    await new Credentials(config).authorization();
    expect(readFileSync(path, 'utf8')).toBe(renewed);
  });

  it.each<[what: string, body: object, then: string | undefined]>([
    ['of an issuer that keeps the refresh token may be read-only', { id_token: idToken('new') }, undefined],
    [
      'must be writable when the refresh token changes',
      { id_token: idToken('new'), refresh_token: 'second' },
      'user.auth-provider.config.refresh-token: the new one cannot be written to ',
    ],
  ])('%s', async (_what, body, then) => {
    const path = writeKubeconfig('old');
    writeFileSync(`${path}.lock`, '');
    issuer.answer = { status: 200, body };
    const authorized = Promise.resolve(new Credentials(loadClusterConfig({ path, env: {} })).authorization());
    if (then === undefined) expect(await authorized).toBe(`Bearer ${idToken('new')}`);
    else await expect(authorized).rejects.toThrow(then);
    expect(readFileSync(path, 'utf8')).toContain('id-token: old');
  });
});

describe('an issuer', () => {
  const renew = (more: Partial<OidcConfig> = {}): Promise<unknown> =>
    Promise.resolve(tokensOf({ refreshToken: 'first', clientSecret: 'hidden', ...more }).authorization());

  it.each<[what: string, given: Partial<Issuer>, then: () => string]>([
    [
      'that refuses the refresh token is named with its error code',
      { answer: { status: 400, body: { error: 'invalid_grant', error_description: 'first' } } },
      () => `user.auth-provider: ${url}/token answered a refresh with status 400 (invalid_grant): log in again`,
    ],
    [
      'that answers with an odd error code is named without it',
      { answer: { status: 500, body: { error: 'first\nsecond' } } },
      () => `user.auth-provider: ${url}/token answered a refresh with status 500: log in again`,
    ],
    [
      'that returns no ID token is named',
      { answer: { status: 200, body: { access_token: 'x' } } },
      () => `user.auth-provider: ${url}/token answered a refresh with no id_token: log in again`,
    ],
    [
      'that issues tokens without TLS is refused',
      { discovery: { token_endpoint: 'http://127.0.0.1/token' } },
      () => `user.auth-provider: ${url}/.well-known/openid-configuration answered 200 without a token_endpoint that begins with https://`,
    ],
  ])('%s', async (_what, given, then) => {
    Object.assign(issuer, given);
    await expect(renew()).rejects.toThrow(new Error(then()));
  });

  it('with a certificate of an unknown authority is refused', async () => {
    const { certificatePem } = createAuthority('other');
    const refused = renew({ certificateAuthority: { data: certificatePem } });
    await expect(refused).rejects.toThrow(/^user\.auth-provider: no answer from https:.*: [A-Z_]*(SIGNATURE|CERT|SIGNED)[A-Z_]*$/);
    expect(issuer.forms).toEqual([]);
  });

  it('that cannot be reached is named', async () => {
    await expect(renew({ issuer: 'https://127.0.0.1:1' })).rejects.toThrow(
      'user.auth-provider: no answer from https://127.0.0.1:1/.well-known/openid-configuration: ECONNREFUSED',
    );
  });
});
