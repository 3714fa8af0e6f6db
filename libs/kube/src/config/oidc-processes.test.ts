/** Real processes that log in with the same `auth-provider`, at an issuer that ends a login when it sees a refresh token twice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthority, eventually, issueCertificate, skipUnless } from '@kruise/testing';

const program = fileURLToPath(new URL('login.testing.ts', import.meta.url));
const authority = createAuthority('issuer');

/** An ID token that expires in an hour. */
const idToken = (name: string): string =>
  `a.${Buffer.from(JSON.stringify({ sub: name, exp: Date.now() / 1000 + 3600 })).toString('base64url')}.x`;

let server: Server;
let url: string;
let folder: string;
/** The refresh tokens that were sent, in their order. */
let sent: string[];
/** The ID tokens that were issued. */
let issued: string[];
/** What the answer to an accepted refresh waits for. */
let untilAnswer: () => Promise<void>;

/** Refresh tokens are numbers; each is accepted once, if it is the newest. */
async function refresh(form: URLSearchParams): Promise<{ readonly status: number; readonly body: object }> {
  const token = form.get('refresh_token') ?? '';
  const isNewest = token === String(sent.length);
  sent.push(token);
  if (!isNewest) return { status: 400, body: { error: 'invalid_grant' } };
  await untilAnswer();
  issued.push(idToken(token));
  return { status: 200, body: { id_token: issued.at(-1), refresh_token: String(sent.length) } };
}

beforeAll(async () => {
  const { certificatePem, keyPem } = issueCertificate(authority, { commonName: 'localhost', ipAddresses: ['127.0.0.1'] });
  server = createServer({ cert: certificatePem, key: keyPem }, (request, response) => {
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    void text(request)
      .then((form) => (isDiscovery ? { status: 200, body: { token_endpoint: `${url}/token` } } : refresh(new URLSearchParams(form))))
      .then(({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await once(server, 'close');
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oidc-'));
  writeFileSync(join(folder, 'ca.pem'), authority.certificatePem);
  sent = [];
  issued = [];
  untilAnswer = () => Promise.resolve();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const userText = (name: string, refreshToken: string): string => `users:
  - name: ${name}
    user:
      auth-provider:
        name: oidc
        config: { idp-issuer-url: "${url}", idp-certificate-authority: ca.pem, client-id: k, id-token: old, refresh-token: "${refreshToken}" }
`;
const contextText = (user: string): string => `current-context: a
clusters: [ { name: c, cluster: { server: "https://127.0.0.1:1" } } ]
contexts: [ { name: a, context: { cluster: c, user: ${user} } } ]
`;

function write(name: string, content: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** @param user number of the user and of the group */
async function logIn(kubeconfig: string, signal?: AbortSignal, user?: number): Promise<Ended> {
  const env = { ...process.env, NODE_OPTIONS: '', KUBECONFIG: kubeconfig };
  const args = user === undefined ? [program] : [program, String(user)];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: folder });
  const onAbort = (): void => void child.kill('SIGKILL');
  signal?.addEventListener('abort', onAbort);
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  signal?.removeEventListener('abort', onAbort);
  return { code: child.exitCode, out, err };
}

it('that run at the same time exchange the refresh token once, however long the issuer takes', async () => {
  const path = write('config', contextText('jane') + userText('jane', '0'));
  // A second request is one too many; the issuer waits for it longer than the plugin waits for the tokens of another program.
  untilAnswer = () => eventually(() => sent.length > 1, 1500).catch(() => undefined);
  const ends = await Promise.all([logIn(path), logIn(path), logIn(path)]);
  expect(ends.map(({ code, err }) => ({ code, err }))).toEqual(ends.map(() => ({ code: 0, err: '' })));
  expect(new Set(ends.map(({ out }) => out)).size).toBe(1);
  expect(sent).toEqual(['0']);
  expect(readFileSync(path, 'utf8')).toContain('refresh-token: "1"');
  expect(readdirSync(folder)).toEqual(['ca.pem', 'config']);
});

it('of which one is killed while the issuer answers do not keep the next one waiting', async () => {
  const path = write('config', contextText('jane') + userText('jane', '0'));
  untilAnswer = () => new Promise(() => undefined);
  const kill = new AbortController();
  const killed = logIn(path, kill.signal);
  await eventually(() => sent.length === 1);
  kill.abort();
  expect((await killed).code).toBeNull();
  // The issuer has accepted the token, and its answer is lost: only a new login helps.
  const { code, err } = await logIn(path);
  expect({ code, sent }).toEqual({ code: 1, sent: ['0', '0'] });
  expect(err).toContain('(invalid_grant): log in again');
});

it('write to the file that defines the user, which may be a relative path of several, and keeps its mode', async () => {
  const first = write('first', contextText('jane'), 0o400);
  const second = write('second', userText('jane', '0'), 0o460);
  const third = write('third', userText('jane', 'other'), 0o600);
  const before = [first, third].map((path) => readFileSync(path, 'utf8'));
  const { code, err } = await logIn([first, join(folder, 'none'), 'second', third].join(delimiter));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(readFileSync(second, 'utf8')).toContain('refresh-token: "1"');
  expect([first, third].map((path) => readFileSync(path, 'utf8'))).toEqual(before);
  expect([first, second, third].map((path) => statSync(path).mode & 0o777)).toEqual([0o400, 0o460, 0o600]);
});

it('keep a kubeconfig that only its owner may read as it is, with the new tokens', async () => {
  const path = write('config', contextText('jane') + userText('jane', '0'), 0o400);
  expect(await logIn(path)).toMatchObject({ code: 0, err: '' });
  expect(readFileSync(path, 'utf8')).toContain('refresh-token: "1"');
  expect(statSync(path).mode & 0o777).toBe(0o400);
});

skipUnless(
  process.getuid?.() === 0,
  'only root becomes another user',
  describe,
)('of a user without privileges', () => {
  const nobody = 65_534;
  const give = (...paths: readonly string[]): void => paths.forEach((path) => chownSync(path, nobody, nobody));
  const prepared = (mode: number, ...owned: readonly string[]): string => {
    const path = write('config', contextText('jane') + userText('jane', '0'), mode);
    chmodSync(folder, 0o755);
    give(...[folder, path].filter((_, at) => owned.includes(['folder', 'file'][at] ?? '')));
    return path;
  };
  const leftIn = (): readonly string[] => readdirSync(folder).sort();

  it('write the new tokens to a kubeconfig of mode 0400, which keeps its mode and owner', async () => {
    const path = prepared(0o400, 'folder', 'file');
    expect(await logIn(path, undefined, nobody)).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(path, 'utf8')).toContain('refresh-token: "1"');
    const { mode, uid } = statSync(path);
    expect([mode & 0o777, uid]).toEqual([0o400, nobody]);
  });

  it.each<{ name: string; mode: number; owned: readonly string[]; code: string }>([
    { name: 'a folder that they cannot write', mode: 0o400, owned: ['file'], code: 'EACCES' },
    { name: 'a file of another user, which would be theirs if they replaced it', mode: 0o444, owned: ['folder'], code: 'EPERM' },
  ])('use the new token once, and say that it is lost for the next command: $name', async ({ mode, owned, code: reason }) => {
    const path = prepared(mode, ...owned);
    const { code, out, err } = await logIn(path, undefined, nobody);
    expect({ code, out }).toEqual({ code: 0, out: `Bearer ${issued.at(-1) ?? ''}` });
    expect(err).toBe(
      `Warning: user.auth-provider.config.refresh-token: the new one cannot be written to ${path}: ${reason}; this command uses it, and the next one needs another login\n`,
    );
    expect(leftIn()).toEqual(['ca.pem', 'config']);
    expect(await logIn(path, undefined, nobody)).toMatchObject({
      code: 1,
      err: expect.stringContaining('(invalid_grant): log in again') as unknown,
    });
  });

  it('name a kubeconfig that they cannot read', async () => {
    const { code, err } = await logIn(prepared(0o400), undefined, nobody);
    expect(code).toBe(1);
    expect(err).toContain(`${join(folder, 'config')}: cannot be read: EACCES`);
  });
});
