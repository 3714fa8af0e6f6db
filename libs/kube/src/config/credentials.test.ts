import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createAuthority, eventually, issueCertificate } from '@kruise/testing';
import type { ClusterConfig, ExecConfig, UserAuth } from './cluster-config.ts';
import { Credentials } from './credentials.ts';
import { ExecPlugin, parseExecCredential } from './exec-plugin.ts';
import { proxyFromEnvironment } from './proxy-environment.ts';

let dir: string;

/** Returns whether the process runs. A zombie, whose exit status was not collected yet, does not count. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'credentials-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const configOf = (user: UserAuth): ClusterConfig => ({
  server: 'https://a',
  user,
  namespace: 'default',
  certificateAuthority: { data: 'CA' },
});

describe('tokens', () => {
  it('are sent as bearer, user and password as basic', async () => {
    expect(await new Credentials(configOf({ token: 't' })).authorization()).toBe('Bearer t');
    expect(await new Credentials(configOf({ basic: { username: 'u', password: 'p' } })).authorization()).toBe('Basic dTpw');
    expect(await new Credentials(configOf({})).authorization()).toBeUndefined();
  });

  it('of a file are read again after a minute or when they were refused; a missing file keeps the last one', async () => {
    const path = join(dir, 'token');
    let now = 0;
    const credentials = new Credentials(configOf({ tokenFile: path }), () => now);
    await expect(credentials.authorization()).rejects.toThrow(`tokenFile: cannot read ${path}: ENOENT`);
    writeFileSync(path, 'one\n');
    expect(await credentials.authorization()).toBe('Bearer one');
    writeFileSync(path, 'two');
    now = 59_999;
    expect(await credentials.authorization()).toBe('Bearer one');
    now = 60_000;
    expect(await credentials.authorization()).toBe('Bearer two');
    writeFileSync(path, 'three');
    expect(credentials.forget(credentials.version)).toBe(true);
    expect(await credentials.authorization()).toBe('Bearer three');
    rmSync(path);
    now = 200_000;
    expect(await credentials.authorization()).toBe('Bearer three');
  });

  it('that are fixed cannot be renewed', () => {
    expect(new Credentials(configOf({ token: 't' })).forget(0)).toBe(false);
  });
});

describe('client certificates in files', () => {
  const authority = createAuthority('test-authority');
  const [one, two] = ['one', 'two'].map((commonName) => issueCertificate(authority, { commonName })) as [Pair, Pair];
  type Pair = ReturnType<typeof issueCertificate>;
  const shown = (pair: Pair): object => ({ cert: pair.certificatePem, key: pair.keyPem });

  function setUp(name: string) {
    const [certificate, key] = [join(dir, `${name}.crt`), join(dir, `${name}.key`)];
    const write = (pair: Pick<Pair, 'certificatePem'> & Partial<Pair>): void => {
      writeFileSync(certificate, pair.certificatePem);
      if (pair.keyPem !== undefined) writeFileSync(key, pair.keyPem);
    };
    const time = { now: 0 };
    const user = { clientCertificate: { certificate: { file: certificate }, key: { file: key } } };
    const credentials = new Credentials(configOf(user), () => time.now);
    return { certificate, key, write, time, credentials };
  }

  it('are checked once a minute, and a replaced one makes connections with the old one stale', async () => {
    const t = setUp('minute');
    t.write(one);
    expect(await t.credentials.clientCertificate()).toEqual(shown(one));
    t.write(two);
    t.time.now = 59_999;
    await t.credentials.authorization();
    expect(t.credentials.certificateGeneration).toBe(0);
    t.time.now = 60_000;
    await t.credentials.authorization();
    expect(t.credentials.certificateGeneration).toBe(1);
    expect(await t.credentials.clientCertificate()).toEqual(shown(two));
    t.time.now = 120_000;
    await t.credentials.authorization();
    expect(t.credentials.certificateGeneration).toBe(1);
  });

  it('are checked when they were refused, once for all calls that were refused with them', async () => {
    const t = setUp('refused');
    t.write(one);
    await t.credentials.clientCertificate();
    t.write(two);
    const used = t.credentials.version;
    expect(t.credentials.forget(used)).toBe(true);
    await Promise.all([t.credentials.authorization(), t.credentials.authorization()]);
    expect([t.credentials.certificateGeneration, t.credentials.version]).toEqual([1, used + 1]);
    t.write(one);
    expect(t.credentials.forget(used)).toBe(true);
    await t.credentials.authorization();
    expect(t.credentials.certificateGeneration).toBe(1);
  });

  it('stay in use while the files are half written, and are checked again after a second', async () => {
    const t = setUp('half');
    t.write(one);
    await t.credentials.clientCertificate();
    t.write({ certificatePem: two.certificatePem });
    expect(await t.credentials.clientCertificate()).toEqual(shown(one));
    rmSync(t.certificate);
    expect(await t.credentials.clientCertificate()).toEqual(shown(one));
    t.write(two);
    t.time.now = 999;
    await t.credentials.authorization();
    expect(t.credentials.certificateGeneration).toBe(0);
    t.time.now = 1000;
    await t.credentials.authorization();
    expect(t.credentials.certificateGeneration).toBe(1);
  });

  it('must exist and match at the start', async () => {
    const t = setUp('none');
    await expect(t.credentials.clientCertificate()).rejects.toThrow(`client-certificate: cannot read ${t.certificate}: ENOENT`);
    t.write({ certificatePem: two.certificatePem, keyPem: one.keyPem });
    await expect(t.credentials.clientCertificate()).rejects.toThrow(
      `client-certificate (${t.certificate}) and client-key (${t.key}): do not belong together`,
    );
    t.write(two);
    expect(await t.credentials.clientCertificate()).toEqual(shown(two));
  });

  it('that were given as text are never checked again', async () => {
    const text = { certificate: { data: one.certificatePem }, key: { data: one.keyPem } };
    const credentials = new Credentials(configOf({ clientCertificate: text }), () => 1_000_000);
    expect(await credentials.clientCertificate()).toEqual(shown(one));
    expect([credentials.forget(0), credentials.authorization()]).toEqual([false, undefined]);
  });
});

describe('exec plugins', () => {
  const apiVersion = 'client.authentication.k8s.io/v1';
  /** Returns a plugin that counts its runs and writes down its input. */
  function plugin(
    status: string,
    more: Partial<ExecConfig> = {},
  ): ExecConfig & { readonly runs: () => number; readonly reportOf: () => unknown } {
    const command = join(dir, `plugin-${Math.random().toString(36).slice(2)}`);
    writeFileSync(
      command,
      `#!/bin/sh\necho run >> ${command}.runs\nprintf '%s' "$KUBERNETES_EXEC_INFO" > ${command}.info\necho '{"apiVersion":"${apiVersion}","kind":"ExecCredential","status":${status}}' | sed "s/RUN/$(wc -l < ${command}.runs | tr -d ' ')$PLUGIN_ENV$1/"\n`,
    );
    chmodSync(command, 0o700);
    const config: ExecConfig = {
      apiVersion,
      command,
      args: ['-x'],
      env: { PLUGIN_ENV: '-e' },
      installHint: '',
      provideClusterInfo: false,
      interactiveMode: 'Never',
      ...more,
    };
    return {
      ...config,
      runs: () => readFileSync(`${command}.runs`, 'utf8').trim().split('\n').length,
      reportOf: () => JSON.parse(readFileSync(`${command}.info`, 'utf8')) as unknown,
    };
  }

  it('return a token that is kept until it is refused', async () => {
    const exec = plugin('{"token":"tRUN"}');
    const credentials = new Credentials(configOf({ exec }));
    expect(await Promise.all([credentials.authorization(), credentials.authorization()])).toEqual(['Bearer t1-e-x', 'Bearer t1-e-x']);
    expect(await credentials.authorization()).toBe('Bearer t1-e-x');
    expect(credentials.forget(credentials.version)).toBe(true);
    expect(await credentials.authorization()).toBe('Bearer t2-e-x');
    expect(exec.runs()).toBe(2);
    expect(exec.reportOf()).toEqual({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  });

  it('run again when the token has expired, and receive the cluster when they request it', async () => {
    const exec = plugin('{"token":"tRUN","expirationTimestamp":"2020-01-01T00:00:00Z"}', { provideClusterInfo: true });
    const credentials = new Credentials(configOf({ exec }));
    await credentials.authorization();
    expect(await credentials.authorization()).toBe('Bearer t2-e-x');
    expect(exec.reportOf()).toMatchObject({
      spec: { cluster: { server: 'https://a', 'certificate-authority-data': Buffer.from('CA').toString('base64') } },
    });
  });

  it('return certificates, and a new one makes connections with the old one stale', async () => {
    const credentials = new Credentials(configOf({ exec: plugin('{"clientCertificateData":"cRUN","clientKeyData":"k"}') }));
    expect(await credentials.clientCertificate()).toEqual({ cert: 'c1-e-x', key: 'k' });
    expect(credentials.certificateGeneration).toBe(0);
    credentials.forget(credentials.version);
    expect(await credentials.clientCertificate()).toEqual({ cert: 'c2-e-x', key: 'k' });
    expect(credentials.certificateGeneration).toBe(1);
  });

  it('drop only the credential that was refused, not the one that followed it', async () => {
    const exec = plugin('{"token":"tRUN"}');
    const credentials = new Credentials(configOf({ exec }));
    await credentials.authorization();
    const used = credentials.version;
    expect([credentials.forget(used), await credentials.authorization()]).toEqual([true, 'Bearer t2-e-x']);
    expect([credentials.forget(used), await credentials.authorization()]).toEqual([true, 'Bearer t2-e-x']);
    expect(exec.runs()).toBe(2);
  });

  it('that do not end are killed at their limit, with the processes that they started', async () => {
    const command = join(dir, 'hanging');
    writeFileSync(command, `#!/bin/sh\nsleep 1000 &\necho $! > ${command}.child\nwait\n`);
    chmodSync(command, 0o700);
    const config = {
      apiVersion,
      command,
      args: [],
      env: {},
      installHint: '',
      provideClusterInfo: false,
      interactiveMode: 'Never',
    } as const;
    const hanging = new ExecPlugin(config, configOf({}), { longestRunMs: 500 });
    await expect(hanging.credential()).rejects.toThrow(`user.exec: ${command} gave no credential within 500 ms`);
    const child = Number(readFileSync(`${command}.child`, 'utf8'));
    await eventually(() => !isRunning(child));
  });

  it('that print without end are killed', async () => {
    const exec = plugin('{}', { command: '/usr/bin/yes', args: [] });
    await expect(new Credentials(configOf({ exec })).authorization()).rejects.toThrow('user.exec: /usr/bin/yes printed more than');
  });

  it('that cannot be started report how to install them', async () => {
    const exec = plugin('{}', { command: join(dir, 'nowhere'), installHint: 'Install it\nfrom there.' });
    await expect(new Credentials(configOf({ exec })).authorization()).rejects.toThrow(
      `user.exec: cannot start ${join(dir, 'nowhere')}: ENOENT. Install it from there.`,
    );
  });

  it('that fail report the exit code', async () => {
    const exec = plugin('{}', { command: '/bin/false' });
    await expect(new Credentials(configOf({ exec })).authorization()).rejects.toThrow('user.exec: /bin/false failed with exit code 1');
  });

  it.each<[string, string]>([
    ['secret-token', 'did not print a JSON object'],
    [
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"secret-token"}}',
      'must print an ExecCredential of',
    ],
    [`{"kind":"ExecCredential","apiVersion":"${apiVersion}"}`, 'printed neither a token nor a certificate'],
    [
      `{"kind":"ExecCredential","apiVersion":"${apiVersion}","status":{"clientKeyData":"secret-token"}}`,
      'must print clientCertificateData and clientKeyData together',
    ],
  ])('must print a credential, which no message quotes (%#)', (output, message) => {
    const parse = (): unknown => parseExecCredential(output, { command: 'login', apiVersion });
    expect(parse).toThrow(message);
    expect(parse).toThrow(/^(?!.*secret-token)/);
  });
});

describe('proxyFromEnvironment', () => {
  const env = (noProxy: string): Record<string, string> => ({ https_proxy: 'proxy:3128', NO_PROXY: noProxy });
  it.each<[string, string, boolean]>([
    ['https://api.example.com', '', true],
    ['https://api.example.com', 'example.com', false],
    ['https://example.com', '.example.com', true],
    ['https://api.example.com', '.example.com', false],
    ['https://api.example.com', 'ample.com', true],
    ['https://api.example.com:6443', 'api.example.com:6443', false],
    ['https://api.example.com:6443', 'api.example.com:443', true],
    ['https://10.1.2.3', '10.0.0.0/8, other', false],
    ['https://11.1.2.3', '10.0.0.0/8', true],
    ['https://[fd00::1]:443', 'fd00::/8', false],
    ['https://10.1.2.3', '10.1.2.3', false],
    ['https://api.example.com', '*', false],
    ['https://127.0.0.1:6443', '', false],
    ['https://localhost', '', false],
    ['http://api.example.com', '', false],
  ])('%s with NO_PROXY=%s', (server, noProxy, proxied) => {
    expect(proxyFromEnvironment(server, env(noProxy))).toBe(proxied ? 'http://proxy:3128' : undefined);
  });
});
