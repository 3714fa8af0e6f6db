import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClusterConfig, ExecConfig, UserAuth } from './cluster-config.ts';
import { Credentials } from './credentials.ts';
import { parseExecCredential } from './exec-plugin.ts';
import { proxyFromEnvironment } from './proxy-environment.ts';

let dir: string;
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

  it('of a file are read again after a minute, or when they were refused; a file that is gone keeps the last one', async () => {
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
    expect(credentials.forget()).toBe(true);
    expect(await credentials.authorization()).toBe('Bearer three');
    rmSync(path);
    now = 200_000;
    expect(await credentials.authorization()).toBe('Bearer three');
  });

  it('that are fixed cannot be renewed', () => {
    expect(new Credentials(configOf({ token: 't' })).forget()).toBe(false);
  });
});

describe('exec plugins', () => {
  const apiVersion = 'client.authentication.k8s.io/v1';
  /** A plugin that counts its runs and writes down what it was told. */
  function plugin(
    status: string,
    more: Partial<ExecConfig> = {},
  ): ExecConfig & { readonly runs: () => number; readonly told: () => unknown } {
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
      told: () => JSON.parse(readFileSync(`${command}.info`, 'utf8')) as unknown,
    };
  }

  it('give a token that is kept until it is refused', async () => {
    const exec = plugin('{"token":"tRUN"}');
    const credentials = new Credentials(configOf({ exec }));
    expect(await Promise.all([credentials.authorization(), credentials.authorization()])).toEqual(['Bearer t1-e-x', 'Bearer t1-e-x']);
    expect(await credentials.authorization()).toBe('Bearer t1-e-x');
    expect(credentials.forget()).toBe(true);
    expect(await credentials.authorization()).toBe('Bearer t2-e-x');
    expect(exec.runs()).toBe(2);
    expect(exec.told()).toEqual({ apiVersion, kind: 'ExecCredential', spec: { interactive: false } });
  });

  it('run again when the token has expired, and hear of the cluster when they ask to', async () => {
    const exec = plugin('{"token":"tRUN","expirationTimestamp":"2020-01-01T00:00:00Z"}', { provideClusterInfo: true });
    const credentials = new Credentials(configOf({ exec }));
    await credentials.authorization();
    expect(await credentials.authorization()).toBe('Bearer t2-e-x');
    expect(exec.told()).toMatchObject({
      spec: { cluster: { server: 'https://a', 'certificate-authority-data': Buffer.from('CA').toString('base64') } },
    });
  });

  it('give certificates, and a new one makes connections with the old one stale', async () => {
    const credentials = new Credentials(configOf({ exec: plugin('{"clientCertificateData":"cRUN","clientKeyData":"k"}') }));
    expect(await credentials.clientCertificate()).toEqual({ cert: 'c1-e-x', key: 'k' });
    expect(credentials.certificateGeneration).toBe(0);
    credentials.forget();
    expect(await credentials.clientCertificate()).toEqual({ cert: 'c2-e-x', key: 'k' });
    expect(credentials.certificateGeneration).toBe(1);
  });

  it('that cannot be started tell how to get them', async () => {
    const exec = plugin('{}', { command: join(dir, 'nowhere'), installHint: 'Install it\nfrom there.' });
    await expect(new Credentials(configOf({ exec })).authorization()).rejects.toThrow(
      `user.exec: cannot start ${join(dir, 'nowhere')}: ENOENT. Install it from there.`,
    );
  });

  it('that fail tell the exit code', async () => {
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
