/** Plugins as real programs. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock, silentLogger } from '@kruise/kube/testing';
import { milliseconds, seconds } from '@kruise/objects';
import { eventually } from '@kruise/testing';
import { CredentialPlugin } from './credential-plugin.ts';
import { parsePluginConfig } from './plugin-config.ts';
import { loadPlugins } from './pull-credentials.ts';

const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
const signal = new AbortController().signal;
let folder: string;
let clock: FakeClock;
let logger: ReturnType<typeof silentLogger>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugins-'));
  clock = new FakeClock();
  logger = silentLogger();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const parts = () => ({ folder, clock, logger });
const provider = { name: 'helper', matchImages: ['*.r.io', 'r.io:5000/team'], defaultCacheDuration: '10m', apiVersion };
const configOf = (...providers: readonly object[]) =>
  JSON.stringify({ kind: 'CredentialProviderConfig', apiVersion: 'kubelet.config.k8s.io/v1', providers });

function install(script: string): void {
  writeFileSync(join(folder, 'helper'), `#!/bin/sh\necho run >>${folder}/runs\n${script}\n`);
  chmodSync(join(folder, 'helper'), 0o755);
}
const answering = (more: object): void =>
  install(
    `cat >${folder}/request; echo "$1 $GIVEN" >${folder}/given; echo '${JSON.stringify({ kind: 'CredentialProviderResponse', apiVersion, cacheKeyType: 'Image', auth: { 'a.r.io': { username: 'u', password: 'p' } }, ...more })}'`,
  );
const runs = (): number => (existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n').length : 0);
const plugin = (more: object = {}): CredentialPlugin =>
  new CredentialPlugin(parsePluginConfig(configOf({ ...provider, ...more }), 'f')[0]!, parts());
const answer = [{ location: 'a.r.io', credential: { username: 'u', password: 'p' } }];

describe('a plugin', () => {
  it('is called as the kubelet calls it', async () => {
    answering({});
    expect(await plugin({ args: ['--x'], env: [{ name: 'GIVEN', value: 'yes' }] }).credentials('a.r.io/app', signal)).toEqual(answer);
    expect(JSON.parse(readFileSync(join(folder, 'request'), 'utf8'))).toEqual({
      kind: 'CredentialProviderRequest',
      apiVersion,
      image: 'a.r.io/app',
    });
    expect(readFileSync(join(folder, 'given'), 'utf8')).toBe('--x yes\n');
  });

  it('is not called for images that its patterns do not match', async () => {
    answering({});
    expect(await plugin().credentials('q.io/app', signal)).toEqual([]);
    expect(runs()).toBe(0);
  });

  it.each([
    ['Image', 3],
    ['Registry', 2],
    ['Global', 1],
  ])('keeps an answer by %s', async (cacheKeyType, times) => {
    answering({ cacheKeyType });
    const asked = plugin();
    for (const image of ['a.r.io/app', 'a.r.io/app', 'a.r.io/other', 'b.r.io/app']) await asked.credentials(image, signal);
    expect(runs()).toBe(times);
  });

  it.each<[string, object, object, number, number]>([
    ['for as long as it says', { cacheDuration: '1m' }, {}, 59, 1],
    ['and no longer', { cacheDuration: '1m' }, {}, 61, 2],
    ['for the default time otherwise', {}, {}, 599, 1],
    ['not beyond that', {}, {}, 601, 2],
    ['not at all when it says 0', { cacheDuration: '0s' }, {}, 0, 2],
    ['not at all when the default is 0', {}, { defaultCacheDuration: '0' }, 0, 2],
  ])('keeps an answer %s', async (_name, said, config, later, times) => {
    answering(said);
    const asked = plugin(config);
    await asked.credentials('a.r.io/app', signal);
    clock.freeze(seconds(later));
    await asked.credentials('a.r.io/app', signal);
    expect(runs()).toBe(times);
  });

  it('runs once for parallel callers', async () => {
    answering({ cacheDuration: '0s' });
    const asked = plugin();
    expect(await Promise.all([asked.credentials('a.r.io/app', signal), asked.credentials('a.r.io/app', signal)])).toEqual([answer, answer]);
    expect(runs()).toBe(1);
  });

  it.each([
    ['fails', 'echo top-secret; exit 3'],
    ['prints no JSON', 'echo top-secret'],
    ['prints another version', `echo '{"kind":"CredentialProviderResponse","apiVersion":"v9"}'`],
    ['prints another kind', `echo '{"kind":"top-secret","apiVersion":"${apiVersion}"}'`],
    [
      'prints a bad duration',
      `echo '{"kind":"CredentialProviderResponse","apiVersion":"${apiVersion}","cacheKeyType":"Image","cacheDuration":"top-secret"}'`,
    ],
    ['prints too much', 'head -c 3000000 /dev/zero'],
    ['hangs', 'exec sleep 60'],
  ])('that %s returns nothing, is logged without its output, and is called again', async (_name, script) => {
    install(script);
    const asked = new CredentialPlugin(parsePluginConfig(configOf(provider), 'f')[0]!, { ...parts(), timeout: milliseconds(500) });
    expect(await asked.credentials('a.r.io/app', signal)).toEqual([]);
    expect(await asked.credentials('a.r.io/app', signal)).toEqual([]);
    expect(runs()).toBe(2);
    expect(logger.lines).toHaveLength(2);
    expect(logger.lines.map(({ fields }) => String((fields as { error: Error }).error)).join()).not.toContain('top-secret');
  });
});

describe('the limit of a plugin', () => {
  const limited = (timeout: number): CredentialPlugin =>
    new CredentialPlugin(parsePluginConfig(configOf(provider), 'f')[0]!, { ...parts(), timeout: milliseconds(timeout) });
  /** Returns whether the process that the plugin recorded runs. */
  const isRunning = (): boolean => {
    if (!existsSync(join(folder, 'pid'))) return false;
    const state = join('/proc', readFileSync(join(folder, 'pid'), 'utf8').trim(), 'stat');
    return existsSync(state) && !readFileSync(state, 'utf8').includes(') Z ');
  };

  it('also ends the processes that the plugin has started', async () => {
    install(`sleep 60 & echo $! >${folder}/pid; wait`);
    expect(await limited(300).credentials('a.r.io/app', signal)).toEqual([]);
    expect(existsSync(join(folder, 'pid'))).toBe(true);
    await eventually(() => !isRunning());
  });

  it('applies although a process that left the group keeps the output open', async () => {
    install(`setsid sleep 20 & echo $! >${folder}/pid; sleep 20`);
    const from = performance.now();
    expect(await limited(300).credentials('a.r.io/app', signal)).toEqual([]);
    expect(performance.now() - from).toBeLessThan(5000);
    expect(isRunning()).toBe(true);
    process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
  });

  it('is not awaited when the attempt is over, and the plugin ends when no caller waits any more', async () => {
    install(`echo $$ >${folder}/pid; sleep 60`);
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = limited(60_000);
    const answers = [first, second].map((one) => asked.credentials('a.r.io/app', one.signal).catch((error: unknown) => error));
    await eventually(isRunning);
    first.abort(new Error('first is over'));
    expect(await answers[0]).toEqual(new Error('first is over'));
    expect(isRunning()).toBe(true);
    second.abort(new Error('second is over'));
    expect(await answers[1]).toEqual(new Error('second is over'));
    await eventually(() => !isRunning());
    expect([runs(), logger.lines]).toEqual([1, []]);
  });
});

describe('the configuration of plugins', () => {
  it('is read with all its members', () => {
    const text = `
kind: CredentialProviderConfig
apiVersion: kubelet.config.k8s.io/v1beta1
providers:
  - name: ecr
    matchImages: ["*.dkr.ecr.*.amazonaws.com"]
    defaultCacheDuration: 12h
    apiVersion: credentialprovider.kubelet.k8s.io/v1alpha1
    args: [get]
    env: [{ name: A, value: b }]
`;
    expect(parsePluginConfig(text, 'f')).toEqual([
      {
        name: 'ecr',
        matchImages: ['*.dkr.ecr.*.amazonaws.com'],
        defaultCacheDuration: 43_200_000,
        apiVersion: 'credentialprovider.kubelet.k8s.io/v1alpha1',
        args: ['get'],
        env: { A: 'b' },
      },
    ]);
  });

  it.each<[string, object, RegExp]>([
    ['a path as name', { name: '../x' }, /providers\[0\]\.name: must be the name of a file/],
    ['a blank in the name', { name: 'a b' }, /name/],
    ['the parent as name', { name: '..' }, /name/],
    ['no name', { name: '' }, /name: is required/],
    ['no images', { matchImages: [] }, /matchImages/],
    ['a scheme in a pattern', { matchImages: ['https://r.io'] }, /matchImages/],
    ['no default duration', { defaultCacheDuration: null }, /defaultCacheDuration: is required/],
    ['a negative duration', { defaultCacheDuration: '-1s' }, /defaultCacheDuration: must be/],
    ['an unknown version', { apiVersion: 'v7' }, /apiVersion: must be one of/],
  ])('is refused with %s', (_name, change, complaint) => {
    expect(() => parsePluginConfig(configOf({ ...provider, ...change }), 'f')).toThrow(complaint);
  });

  it('is refused with the same plugin twice, with none, and of another kind', () => {
    expect(() => parsePluginConfig(configOf(provider, provider), 'f')).toThrow(/helper is named twice/);
    expect(() => parsePluginConfig(configOf(), 'f')).toThrow(/at least one/);
    expect(() => parsePluginConfig('{"kind":"Other","apiVersion":"kubelet.config.k8s.io/v1"}', 'f')).toThrow(/kind: must be/);
  });

  it('that is absent means no plugins; one that is faulty or names a missing program is logged, and means none', () => {
    const file = join(folder, 'config.yaml');
    expect(loadPlugins(file, parts())).toEqual([]);
    expect(logger.lines).toEqual([]);
    writeFileSync(file, configOf(provider));
    expect(loadPlugins(file, parts())).toEqual([]);
    expect(String((logger.lines[0]?.fields as { error: Error }).error)).toContain('there is no plugin helper');
    install('exit 0');
    expect(loadPlugins(file, parts()).map(({ config }) => config.name)).toEqual(['helper']);
    writeFileSync(file, '[');
    expect(loadPlugins(file, parts())).toEqual([]);
  });
});
