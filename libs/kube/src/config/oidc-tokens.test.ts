import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { createServer as createPlainServer, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthority, issueCertificate } from '@kruise/testing';
import { Credentials } from './credentials.ts';
import { loadClusterConfig } from './load-config.ts';
import { refreshTokens } from './oidc-issuer.ts';
import { expiryOf, OidcTokens } from './oidc-tokens.ts';
import type { OidcConfig } from './cluster-config.ts';

const authority = createAuthority('issuer');
const now = Date.parse('2026-01-01T00:00:00Z');

/** Returns an ID token. Only the issuer and the API server check its signature. */
const idToken = (name: string, expiresAt = now + 3_600_000): string =>
  [{ alg: 'none' }, { sub: name, exp: expiresAt / 1000 }].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.') +
  '.x';

type Handler = (response: ServerResponse) => void;

/** What the issuer received, and what it answers. */
interface Issuer {
  readonly forms: Readonly<Record<string, string>>[];
  discovery: object;
  answer: { readonly status: number; readonly body: unknown };
  /** In place of `discovery`. */
  onDiscovery?: Handler;
  /** Runs before the answer to a refresh. */
  onRefresh?: () => void;
}

let server: Server;
let url: string;
let folder: string;
let issuer: Issuer;

beforeAll(async () => {
  const { certificatePem, keyPem } = issueCertificate(authority, {
    commonName: 'localhost',
    dnsNames: ['issuer.example'],
    ipAddresses: ['127.0.0.1'],
  });
  server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    void text(request).then((form) => {
      if (issuer.onDiscovery !== undefined) return void issuer.onDiscovery(response);
      const isDiscovery = request.url === '/realm/.well-known/openid-configuration';
      if (!isDiscovery) issuer.onRefresh?.();
      if (!isDiscovery)
        issuer.forms.push({
          path: `${request.method} ${request.url}`,
          ...(request.headers.authorization === undefined ? {} : { authorization: request.headers.authorization }),
          ...Object.fromEntries(new URLSearchParams(form)),
        });
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
  user: 'jane',
  issuer: `${url}/`,
  clientId: 'kubernetes',
  certificateAuthority: { data: authority.certificatePem },
  ...more,
});
const tokensOf = (more: Partial<OidcConfig>): OidcTokens => new OidcTokens(held(more), { nowMs: () => now });

/** Writes a kubeconfig with two users of the issuer and another user. */
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
  - name: joe
    user:
      auth-provider:
        name: oidc
        config: { idp-issuer-url: "${url}/", client-id: kubernetes, id-token: his, refresh-token: his }
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
    ['with its expiry as text, which kubectl accepts,', `a.${Buffer.from('{"exp":"5"}').toString('base64url')}.c`, 5_000],
    ['with a word as its expiry', `a.${Buffer.from('{"exp":"5 minutes"}').toString('base64url')}.c`, 0],
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

  it.each<[what: string, token: string]>([
    ['has no expiry', 'a.e30.c'],
    ['has expired by the clock of this machine', idToken('new', now - 60_000)],
  ])('that was just issued is sent for a minute, even if it %s', async (_what, token) => {
    writeKubeconfig('old');
    issuer.answer = { status: 200, body: { id_token: token } };
    let time = now;
    const tokens = new OidcTokens(held({ refreshToken: 'first' }), { nowMs: () => time });
    for (const [elapsedMs, asked] of [
      [0, 1],
      [59_999, 1],
      [60_000, 2],
    ] as const) {
      time = now + elapsedMs;
      expect(await tokens.authorization()).toBe(`Bearer ${token}`);
      expect(issuer.forms).toHaveLength(asked);
    }
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
    const renewed = readFileSync(path, 'utf8').replace('refresh-token: first', 'refresh-token: theirs');
    issuer.onRefresh = () => writeFileSync(path, renewed);
    await new Credentials(loadClusterConfig({ path, env: {} })).authorization();
    expect(readFileSync(path, 'utf8')).toBe(renewed);
  });

  it('that another program has renewed before this one asks the issuer provides its tokens', async () => {
    const path = writeKubeconfig('old');
    const credentials = new OidcTokens(held({ file: path, idToken: 'old', refreshToken: 'first' }), { nowMs: () => now });
    const theirs = idToken('theirs');
    writeFileSync(path, readFileSync(path, 'utf8').replace('token: old', `token: ${theirs}`).replace('token: first', 'token: third'));
    expect(await credentials.authorization()).toBe(`Bearer ${theirs}`);
    expect(issuer.forms).toEqual([]);
    credentials.forget();
    await credentials.authorization();
    expect(issuer.forms.map((form) => form['refresh_token'])).toEqual(['third']);
  });

  it('that another program renews at the same time provides its tokens once the issuer refuses the old refresh token', async () => {
    const path = writeKubeconfig('old');
    const theirs = idToken('theirs');
    issuer.answer = { status: 400, body: { error: 'invalid_grant' } };
    issuer.onRefresh = () =>
      writeFileSync(path, readFileSync(path, 'utf8').replace('token: old', `token: ${theirs}`).replace('token: first', 'token: third'));
    const credentials = new OidcTokens(held({ file: path, idToken: 'old', refreshToken: 'first' }), { nowMs: () => now });
    expect(await credentials.authorization()).toBe(`Bearer ${theirs}`);
  });

  it('that another program has locked for a moment is written when the lock is released', async () => {
    const path = writeKubeconfig('old');
    writeFileSync(`${path}.lock`, '');
    issuer.onRefresh = () => void setTimeout(() => rmSync(`${path}.lock`), 100);
    await new Credentials(loadClusterConfig({ path, env: {} })).authorization();
    expect(readFileSync(path, 'utf8')).toContain('refresh-token: second');
    expect(readdirSync(folder).sort()).toEqual(['ca.pem', 'config']);
  });

  it('that is deleted during the refresh is named, as its refresh token is no longer valid', async () => {
    const path = writeKubeconfig('old');
    issuer.onRefresh = () => rmSync(path);
    const authorized = Promise.resolve(new Credentials(loadClusterConfig({ path, env: {} })).authorization());
    await expect(authorized).rejects.toThrow(`the new one cannot be written to ${path}: ENOENT`);
    expect(readdirSync(folder)).toEqual(['ca.pem']);
  });

  it('that could not be written does not bring back its old refresh token', async () => {
    const path = writeKubeconfig('old');
    const tokens = tokensOf({ file: path, idToken: 'old', refreshToken: 'first' });
    writeFileSync(`${path}.lock`, '');
    await expect(tokens.authorization()).rejects.toThrow('EEXIST');
    rmSync(`${path}.lock`);
    tokens.forget();
    await tokens.authorization();
    expect(issuer.forms.map((form) => form['refresh_token'])).toEqual(['first', 'second']);
  });

  it.each<[what: string, change: (text: string) => string]>([
    [
      'an alias',
      (text) =>
        text.replace('config:\n', 'config: &login\n') + '  - name: again\n    user: { auth-provider: { name: oidc, config: *login } }\n',
    ],
    [
      'a merge key',
      (text) =>
        text
          .replace('users:', `defaults: &login { refresh-token: first, id-token: old }\nusers:`)
          .replace(/ {10}id-token.*\n.*\n/, '          <<: *login\n'),
    ],
  ])('with %s has the new tokens afterwards', async (_what, change) => {
    const path = writeKubeconfig('old');
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    for (const user of ['jane', ...(readFileSync(path, 'utf8').includes('again') ? ['again'] : [])]) {
      await new Credentials(loadClusterConfig({ path, user, env: {} })).authorization();
      expect(loadClusterConfig({ path, user, env: {} }).user.oidc).toMatchObject({ refreshToken: 'second', idToken: idToken('new') });
    }
  });

  it('keeps its owner', async () => {
    const path = writeKubeconfig('old');
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(path, 1234, 1235);
    const { uid, gid } = statSync(path);
    await new Credentials(loadClusterConfig({ path, env: {} })).authorization();
    expect(statSync(path)).toMatchObject({ uid, gid });
    expect(readFileSync(path, 'utf8')).toContain('refresh-token: second');
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

  it.each<[what: string, answer: Handler, then: string, longestAnswerMs?: number]>([
    [
      'that redirects',
      (response) => response.writeHead(302, { location: `${url}/elsewhere` }).end(),
      'answered 302 without a token_endpoint',
    ],
    ['that answers with a page', (response) => response.end('<html>log in</html>'), 'answered 200 without a token_endpoint'],
    ['that answers with a list', (response) => response.end('[]'), 'answered 200 without a token_endpoint'],
    ['that never answers', () => undefined, 'no complete answer within 0.3 s', 300],
    ['that never ends its answer', (response) => void response.write('{'), 'no complete answer within 0.3 s', 300],
    ['that breaks off its answer', (response) => void response.write('{', () => response.destroy()), 'ECONNRESET'],
    ['that answers with 2 MiB', (response) => response.end(Buffer.alloc(2 << 20, 32)), 'an answer of more than 1048576 bytes'],
  ])('%s is named with the reason', async (_what, answer, then, longestAnswerMs = 60_000) => {
    issuer.onDiscovery = answer;
    const refused = refreshTokens(held({ issuer: url.replace('//', '//jane:hidden@') }), 'first', { env: {}, longestAnswerMs });
    await expect(refused).rejects.toThrow(then);
    await expect(refused).rejects.toThrow(`${url}/.well-known/openid-configuration`);
    await expect(refused).rejects.not.toThrow(/hidden|first/);
  });

  it('that accepts the client secret only in the header receives it there', async () => {
    issuer.discovery = { token_endpoint: `${url}/token`, token_endpoint_auth_methods_supported: ['client_secret_basic'] };
    writeKubeconfig('old');
    await renew({ clientSecret: 'a b:c' });
    const authorization = `Basic ${Buffer.from('kubernetes:a+b%3Ac').toString('base64')}`;
    expect(issuer.forms).toMatchObject([{ authorization, client_id: 'kubernetes' }]);
    expect(issuer.forms[0]).not.toHaveProperty('client_secret');
  });

  it('is reached through the proxy of the environment', async () => {
    writeKubeconfig('old');
    const tunnels: string[] = [];
    const ends = new Set<Socket>();
    const proxy = createPlainServer().on('connect', (request, socket: Socket) => {
      tunnels.push(request.url ?? '');
      const to = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        socket.pipe(to).pipe(socket);
      });
      for (const end of [to, socket]) ends.add(end.on('error', () => undefined));
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const env = { HTTPS_PROXY: `http://me:hidden@127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    const far = 'https://issuer.example/realm';
    issuer.discovery = { token_endpoint: `${far}/token` };
    expect(await new OidcTokens(held({ issuer: far, refreshToken: 'first' }), { env }).authorization()).toBe(`Bearer ${idToken('new')}`);
    expect(tunnels).toEqual(['issuer.example:443', 'issuer.example:443']);
    for (const end of ends) end.destroy();
    proxy.close();
    await once(proxy, 'close');
    await expect(refreshTokens(held({ issuer: far }), 'first', { env })).rejects.toThrow(
      `user.auth-provider: no answer from ${far}/.well-known/openid-configuration through the proxy of the environment: ECONNREFUSED`,
    );
  });

  it('with a certificate authority that is no certificate is refused', async () => {
    await expect(renew({ certificateAuthority: { data: 'secret' } })).rejects.toThrow(
      /^user\.auth-provider: no answer from https:[^ ]*: [A-Z_]+$/,
    );
    await expect(renew({ certificateAuthority: { file: join(folder, 'none') } })).rejects.toThrow(
      'user.auth-provider.config.idp-certificate-authority: cannot read ',
    );
  });

  it('that cannot be reached is named', async () => {
    await expect(renew({ issuer: 'https://127.0.0.1:1' })).rejects.toThrow(
      'user.auth-provider: no answer from https://127.0.0.1:1/.well-known/openid-configuration: ECONNREFUSED',
    );
  });
});
