import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadClusterConfig } from './load-config.ts';
import { clusterConfigOf, parseKubeconfig } from './kubeconfig.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(dir, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const simple = (server: string): string => `
clusters: [{name: c, cluster: {server: '${server}'}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`;

describe('order', () => {
  it('flag, $KUBECONFIG, in-cluster, home', () => {
    const flag = file('flag', simple('https://flag'));
    const listed = file('listed', simple('https://listed'));
    const account = join(file('account/token', 'secret'), '..');
    file('home/.kube/config', simple('https://home'));
    const env = { KUBECONFIG: listed, KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', HOME: join(dir, 'home') };
    const at = (path: string, set: Record<string, string>): string =>
      loadClusterConfig({ path, env: set, serviceAccountFolder: account }).server;
    expect(at(flag, env)).toBe('https://flag');
    expect(at('', env)).toBe('https://listed');
    expect(at('', { ...env, KUBECONFIG: '' })).toBe('https://10.0.0.1:443');
    expect(at('', { HOME: env.HOME })).toBe('https://home');
    expect(() => at('', { HOME: dir })).toThrow('no cluster to connect to');
  });

  it('merges the files of $KUBECONFIG, the first one winning, and skips missing files', () => {
    const one = file('one', 'current-context: x\ncontexts: [{name: x, context: {cluster: c}}]');
    const two = file('two', simple('https://two') + 'kind: Config');
    expect(loadClusterConfig({ env: { KUBECONFIG: [one, join(dir, 'none'), two].join(':') } })).toEqual({
      server: 'https://two',
      user: {},
      namespace: 'default',
    });
    expect(() => loadClusterConfig({ env: { KUBECONFIG: '/nowhere/a' } })).toThrow('$KUBECONFIG: no such file: /nowhere/a');
  });

  it('in-cluster reads token, CA and namespace of the service account', () => {
    const account = join(file('pod/token', 'secret'), '..');
    file('pod/ca.crt', 'CA');
    file('pod/namespace', 'kruise-system\n');
    expect(
      loadClusterConfig({ env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }, serviceAccountFolder: account }),
    ).toEqual({
      server: 'https://[fd00::1]:6443',
      certificateAuthority: { file: join(account, 'ca.crt') },
      user: { tokenFile: join(account, 'token') },
      namespace: 'kruise-system',
    });
  });
});

it('takes another cluster and user of the file than those of the context', () => {
  const text = `
clusters: [{name: c, cluster: {server: 'https://c'}}, {name: d, cluster: {server: 'https://d'}}]
users: [{name: u, user: {token: one}}, {name: v, user: {token: two}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: n}}]
`;
  const config = parseKubeconfig([{ path: 'file', text }]);
  const chosen = (choice: Parameters<typeof clusterConfigOf>[1]): unknown => clusterConfigOf(config, choice);
  expect(chosen({ context: 'x', cluster: 'd', user: 'v' })).toEqual({ server: 'https://d', user: { token: 'two' }, namespace: 'n' });
  expect(chosen({ context: 'x', cluster: '', user: '' })).toEqual({ server: 'https://c', user: { token: 'one' }, namespace: 'n' });
  expect(chosen({ cluster: 'd' })).toEqual({ server: 'https://d', user: {}, namespace: 'default' });
  expect(() => chosen({ context: 'x', cluster: 'e' })).toThrow('no cluster "e": must be one of c, d');
  expect(() => chosen({ user: 'v' })).toThrow('current-context: is required: one of x');
});

describe('a context', () => {
  const parse = (text: string, context?: string): unknown =>
    clusterConfigOf(parseKubeconfig([{ path: '/etc/kube/config', text }]), { context });

  it('returns all its fields', () => {
    const text = `
apiVersion: v1
kind: Config
clusters:
- name: c
  cluster:
    server: https://api.example:6443/prefix
    certificate-authority-data: ${base64('CA')}
    tls-server-name: kubernetes
    proxy-url: socks5://proxy:1080
users:
- name: u
  user:
    client-certificate: certs/u.crt
    client-key-data: ${base64('KEY')}
    tokenFile: /run/token
    username: me
    password: pw
    as: jane
    as-uid: "7"
    as-groups: [dev]
    as-user-extra: {reason: [a, b]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [get]
      env: [{name: A, value: b}]
      installHint: get it
      provideClusterInfo: true
      interactiveMode: Never
contexts:
- name: other
  context: {cluster: c, user: u, namespace: apps}
current-context: none
`;
    expect(parse(text, 'other')).toEqual({
      server: 'https://api.example:6443/prefix',
      certificateAuthority: { data: 'CA' },
      tlsServerName: 'kubernetes',
      proxyUrl: 'socks5://proxy:1080',
      user: {
        clientCertificate: { certificate: { file: '/etc/kube/certs/u.crt' }, key: { data: 'KEY' } },
        tokenFile: '/run/token',
        basic: { username: 'me', password: 'pw' },
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: '/etc/kube/bin/login',
          args: ['get'],
          env: { A: 'b' },
          installHint: 'get it',
          provideClusterInfo: true,
          interactiveMode: 'Never',
        },
      },
      impersonate: { user: 'jane', uid: '7', groups: ['dev'], extra: { reason: ['a', 'b'] } },
      namespace: 'apps',
    });
  });

  const cluster = (member: string): string =>
    `clusters: [{name: c, cluster: {server: 'https://a', ${member}}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x`;
  const user = (member: string): string =>
    `clusters: [{name: c, cluster: {server: 'https://a'}}]\nusers: [{name: u, user: {${member}}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x`;

  it.each<[string, string, string]>([
    ['no YAML', 'a: [', '/etc/kube/config: line 1: not YAML (BAD_INDENT)'],
    ['a list', '[]', '/etc/kube/config: must contain an object'],
    ['another kind', 'kind: Pod', '/etc/kube/config: kind: must be Config'],
    ['another version', 'apiVersion: v2', '/etc/kube/config: apiVersion: must be v1'],
    ['nothing', '', '/etc/kube/config: current-context: is required: one of (none are defined)'],
    ['clusters that are no list', 'clusters: {}', '/etc/kube/config: clusters: must be a list'],
    ['a cluster that is a text', 'clusters: [x]', '/etc/kube/config: clusters[0]: must be an object'],
    ['a cluster without a name', 'clusters: [{cluster: {}}]', '/etc/kube/config: clusters[0].name: is required'],
    [
      'an unknown context',
      simple('https://a').replace('current-context: x', 'current-context: y'),
      '/etc/kube/config: current-context: no context "y": must be one of x',
    ],
    [
      'an unknown cluster',
      simple('https://a').replace('cluster: c,', 'cluster: d,'),
      '/etc/kube/config: contexts[0].context.cluster: no cluster "d": must be one of c',
    ],
    [
      'an unknown user',
      simple('https://a').replace('user: u}', 'user: v}'),
      '/etc/kube/config: contexts[0].context.user: no user "v": must be one of u',
    ],
    ['no server', simple(''), '/etc/kube/config: clusters[0].cluster.server: is required'],
    [
      'a server without a scheme',
      simple('api:6443'),
      '/etc/kube/config: clusters[0].cluster.server: must be a URL that begins with https:// or http://',
    ],
    [
      'a CA that is not base64',
      cluster('certificate-authority-data: "-----BEGIN"'),
      '/etc/kube/config: clusters[0].cluster.certificate-authority-data: must be base64',
    ],
    [
      'insecure with a CA',
      cluster('insecure-skip-tls-verify: true, certificate-authority: ca'),
      '/etc/kube/config: clusters[0].cluster.insecure-skip-tls-verify: may not be true together with certificate-authority or certificate-authority-data',
    ],
    [
      'a flag in words',
      cluster('insecure-skip-tls-verify: "true"'),
      '/etc/kube/config: clusters[0].cluster.insecure-skip-tls-verify: must be true or false',
    ],
    [
      'an odd proxy',
      cluster('proxy-url: "ftp://p"'),
      '/etc/kube/config: clusters[0].cluster.proxy-url: must be a URL that begins with http:// or https:// or socks5://',
    ],
    [
      'a certificate without key',
      user('client-certificate: a'),
      '/etc/kube/config: users[0].user.client-key: client-certificate and client-key must be given together',
    ],
    ['a token that is a number', user('token: 12345'), '/etc/kube/config: users[0].user.token: must be a string'],
    [
      'groups without a user',
      user('as-groups: [a]'),
      '/etc/kube/config: users[0].user.as: is required with as-groups, as-uid and as-user-extra',
    ],
    [
      'an old auth-provider',
      user('auth-provider: {name: gcp}'),
      '/etc/kube/config: users[0].user.auth-provider.name: "gcp" is not supported: must be oidc; or use exec, a token or a client certificate',
    ],
    [
      'an auth-provider without a name',
      user('auth-provider: {config: {}}'),
      '/etc/kube/config: users[0].user.auth-provider.name: is required: must be oidc',
    ],
    [
      'an auth-provider without an issuer',
      user('auth-provider: {name: oidc}'),
      '/etc/kube/config: users[0].user.auth-provider.config.idp-issuer-url: is required',
    ],
    [
      'an issuer without TLS',
      user('auth-provider: {name: oidc, config: {idp-issuer-url: "http://a", client-id: b}}'),
      '/etc/kube/config: users[0].user.auth-provider.config.idp-issuer-url: must be a URL that begins with https://',
    ],
    [
      'an auth-provider without a client',
      user('auth-provider: {name: oidc, config: {idp-issuer-url: "https://a"}}'),
      '/etc/kube/config: users[0].user.auth-provider.config.client-id: is required',
    ],
    [
      'an auth-provider beside exec',
      user('auth-provider: {name: oidc}, exec: {command: a}'),
      '/etc/kube/config: users[0].user.auth-provider: may not be given together with exec',
    ],
    [
      'an exec without version',
      user('exec: {command: a}'),
      '/etc/kube/config: users[0].user.exec.apiVersion: is required: one of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1',
    ],
    [
      'an exec of v1alpha1',
      user('exec: {command: a, apiVersion: client.authentication.k8s.io/v1alpha1}'),
      '/etc/kube/config: users[0].user.exec.apiVersion: must be one of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1',
    ],
    [
      'an exec v1 without interactiveMode',
      user('exec: {command: a, apiVersion: client.authentication.k8s.io/v1}'),
      '/etc/kube/config: users[0].user.exec.interactiveMode: is required with client.authentication.k8s.io/v1: one of Never, IfAvailable, Always',
    ],
  ])('refuses %s in one line', (_name, text, message) => {
    let thrown: unknown;
    try {
      parse(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'ConfigError', message });
  });

  it('quotes no secret of a broken file', () => {
    expect(() => parse('users: [{name: u, user: {token: "hunter2}}]')).toThrow(/^(?!.*hunter2)/);
  });
});
