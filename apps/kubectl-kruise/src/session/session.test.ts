/** What the thin parts read: flags of the connection, files, and discovery of old and new servers. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeApi } from '@kruise/kube/testing';
import { rootCommand } from '../commands/table.ts';
import { parseArguments } from '../cli/parse-arguments.ts';
import type { FlagValues } from '../flag-values.ts';
import { fakeApi, kruiseRun } from '../testing.ts';
import { configOf } from './connect.ts';
import { discover } from './discover.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'kubectl-kruise-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function flagsOf(line: string): FlagValues {
  const parsed = parseArguments(rootCommand, `rollout status ${line}`.trim().split(' '));
  if (parsed.kind !== 'Call') throw new Error(line);
  return parsed.flags;
}

describe('the flags of the connection', () => {
  const kubeconfig = `
clusters: [{name: c, cluster: {server: 'https://c', certificate-authority: /ca}}, {name: d, cluster: {server: 'https://d'}}]
users: [{name: u, user: {token: one}}, {name: v, user: {token: two}}]
contexts: [{name: x, context: {cluster: c, user: u, namespace: n}}, {name: y, context: {cluster: d, user: v}}]
current-context: x
`;
  const read = (line: string): unknown => {
    const path = join(folder, 'config');
    writeFileSync(path, kubeconfig);
    return configOf(flagsOf(line), { KUBECONFIG: path });
  };
  const base = { server: 'https://c', certificateAuthority: { file: '/ca' }, user: { token: 'one' }, namespace: 'n' };

  it.each<[line: string, config: object]>([
    ['', base],
    ['--context=y', { server: 'https://d', user: { token: 'two' }, namespace: 'default' }],
    ['--cluster=d --user=v', { server: 'https://d', user: { token: 'two' }, namespace: 'n' }],
    ['-s https://other --tls-server-name=name', { ...base, server: 'https://other', tlsServerName: 'name' }],
    ['--certificate-authority=/b', { ...base, certificateAuthority: { file: '/b' } }],
    ['--insecure-skip-tls-verify', { server: 'https://c', insecureSkipTlsVerify: true, user: { token: 'one' }, namespace: 'n' }],
    ['--token=t', { ...base, user: { token: 't' } }],
    ['--username=a --password=b', { ...base, user: { token: 'one', basic: { username: 'a', password: 'b' } } }],
    [
      '--client-certificate=/c --client-key=/k',
      { ...base, user: { token: 'one', clientCertificate: { certificate: { file: '/c' }, key: { file: '/k' } } } },
    ],
    ['--as=me --as-group=g --as-group=h --as-uid=1', { ...base, impersonate: { user: 'me', groups: ['g', 'h'], uid: '1', extra: {} } }],
  ])('%s', (line, config) => expect(read(line)).toEqual(config));

  it('need no kubeconfig beside --server', () => {
    expect(configOf(flagsOf('--server=http://127.0.0.1:1'), { HOME: folder })).toEqual({
      server: 'http://127.0.0.1:1',
      user: {},
      namespace: 'default',
    });
    expect(() => configOf(flagsOf(''), { HOME: folder })).toThrow('no cluster to connect to');
  });

  it.each([
    ['--client-key=/k', '--client-certificate and --client-key must be given together'],
    ['--as-group=g', 'requesting groups, uid or user-extra for a user requires impersonating a user'],
  ])('%s is refused', (line, message) => expect(() => read(line)).toThrow(message));
});

describe('files', () => {
  const manifest = (name: string): string =>
    `apiVersion: apps.kruise.io/v1beta1\nkind: CloneSet\nmetadata: {name: ${name}}\nspec: {template: {spec: {containers: [{name: m, image: a}]}}}\n`;

  it('are read from a path, a folder without and with its folders, and stdin', async () => {
    const inner = join(folder, 'objects', 'inner');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(folder, 'objects', 'a.yaml'), `${manifest('a')}---\n${manifest('b')}`);
    writeFileSync(join(folder, 'objects', 'note.txt'), 'no manifest');
    writeFileSync(
      join(inner, 'c.json'),
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [
          {
            apiVersion: 'apps.kruise.io/v1beta1',
            kind: 'CloneSet',
            metadata: { name: 'c' },
            spec: { template: { spec: { containers: [{ name: 'm' }] } } },
          },
        ],
      }),
    );
    const names = async (more: string, stdin = ''): Promise<string> =>
      (await kruiseRun(fakeApi(), `set image --local -o name m=b ${more}`, { stdin })).out;
    const all = join(folder, 'objects');
    const of = (...list: readonly string[]): string => list.map((name) => `cloneset.apps.kruise.io/${name}\n`).join('');
    expect(await names(`-f ${all}`)).toBe(of('a', 'b'));
    expect(await names(`-R -f ${all}`)).toBe(of('a', 'b', 'c'));
    expect(await names(`-f ${join(inner, 'c.json')} -f -`, manifest('d'))).toBe(of('c', 'd'));
  });

  it.each<[line: string, err: string]>([
    ['rollout pause -f /none', 'error: the path "/none" does not exist\n'],
    [
      'rollout pause -f - clone/x',
      'error: when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well\n',
    ],
    ['rollout pause -f -', 'error: no objects passed\n'],
    ['rollout pause -f - -k dir', 'error: only one of -f or -k can be specified\n'],
  ])('%s', async (line, err) => expect(await kruiseRun(fakeApi(), line)).toMatchObject({ code: 1, err }));

  it('of another namespace than -n, or a version that is not served, are refused', async () => {
    const stdin = manifest('a').replace('{name: a}', '{name: a, namespace: other}');
    expect(await kruiseRun(fakeApi(), 'rollout pause -n ns -f -', { stdin })).toMatchObject({
      err: 'error: the namespace from the provided object "other" does not match the namespace "ns". You must pass \'--namespace=other\' to perform this operation.\n',
    });
    expect(await kruiseRun(fakeApi(), 'rollout pause -f -', { stdin: manifest('a').replace('v1beta1', 'v9') })).toMatchObject({
      err: expect.stringContaining(
        'no matches for kind "CloneSet" in version "apps.kruise.io/v9"\nensure CRDs are installed first\n',
      ) as unknown,
    });
  });
});

describe('discovery', () => {
  const signal = new AbortController().signal;

  it('asks a server that has no aggregated discovery for each group, and passes over one that does not answer', async () => {
    const api = new FakeApi();
    api.rawAnswers.set('/api', { kind: 'APIVersions', versions: ['v1'] });
    api.rawAnswers.set('/apis', {
      kind: 'APIGroupList',
      groups: [
        { name: 'down.io', versions: [{ version: 'v1' }] },
        { name: 'apps', versions: [{ version: 'v1' }] },
      ],
    });
    api.rawAnswers.set('/api/v1', { resources: [{ name: 'pods', kind: 'Pod', namespaced: true }] });
    api.rawAnswers.set('/apis/apps/v1', { resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true }] });
    expect((await discover(api, signal)).map(({ group, plural }) => `${plural}.${group}`)).toEqual(['pods.', 'deployments.apps']);
  });

  it('takes all kinds of both answers of a newer server', async () => {
    const api = new FakeApi();
    const list = (group: string, resource: string): object => ({
      kind: 'APIGroupDiscoveryList',
      items: [{ metadata: { name: group }, versions: [{ version: 'v1', resources: [{ resource }] }] }],
    });
    api.rawAnswers.set('/api', list('', 'pods'));
    api.rawAnswers.set('/apis', list('apps', 'deployments'));
    expect((await discover(api, signal)).map(({ group, plural }) => `${plural}.${group}`)).toEqual(['pods.', 'deployments.apps']);
  });
});
