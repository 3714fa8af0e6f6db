import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { shippedFlags } from '@kruise/testing';
import { ensureCompiler } from './compiler.ts';

const restricted = ['--permission', '--allow-fs-read=*', '--allow-fs-write=*'];
const noWarning = '--disable-warning=SecurityWarning';
const noCodeFromText = '--disallow-code-generation-from-strings';

const source = join(import.meta.dirname, '../../deploy/launcher/launcher.c');

let folder: string;

/** @param node the program that the launcher becomes */
async function compile(name: string, node: string): Promise<void> {
  const defined = [`-DNODE="${node}"`, `-DAPPS="${name === 'launcher' ? '/app' : join(folder, 'app')}"`];
  execFileSync(await ensureCompiler(), ['-static', '-Wall', '-Wextra', '-Werror', ...defined, '-o', join(folder, name), source]);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'launcher-'));
  await compile('launcher', '/bin/echo');
  for (const name of ['manager', 'kruise-daemon', 'helm_hook', 'kruise-state-metrics'])
    copyFileSync(join(folder, 'launcher'), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What Node would be called with; a limit of this machine's own cgroup is omitted. */
function calledWith(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  const said = execFileSync(join(folder, name), [...args], { encoding: 'utf8', env: { ...process.env, KUBECONFIG: '', ...env } })
    .trim()
    .split(' ');
  return said.filter((word) => !word.startsWith('--max-old-space-size='));
}

/** Tries what a program has no use for. */
const denied = `
  import { spawnSync } from 'node:child_process';
  import { Worker } from 'node:worker_threads';
  const attempt = (what, run) => {
    try {
      const { error } = run() ?? {};
      if (error) throw error;
      console.log(what, 'ok');
    } catch (error) {
      console.log(what, error.code ?? error.name);
    }
  };
  attempt('eval', () => Function('return {}')());
  attempt('spawn', () => spawnSync(process.execPath, ['--version']));
  attempt('addon', () => process.dlopen({ exports: {} }, '/none.node'));
  attempt('worker', () => new Worker(new URL('data:text/javascript,')));
`;

describe('the launcher', () => {
  it.each([
    [
      'manager',
      [
        '--max-semi-space-size=1',
        '--v8-pool-size=1',
        '--flush-baseline-code',
        '--bytecode-old-age=1',
        noCodeFromText,
        ...restricted,
        '--allow-inspector',
        '--allow-worker',
        noWarning,
        '/app/manager/main.mjs',
      ],
    ],
    [
      'kruise-daemon',
      [
        '--max-semi-space-size=1',
        '--v8-pool-size=1',
        '--optimize-for-size',
        '--no-opt',
        '--no-maglev',
        noCodeFromText,
        ...restricted,
        '--allow-inspector',
        noWarning,
        '/app/daemon/main.mjs',
      ],
    ],
    [
      'kruise-state-metrics',
      ['--max-semi-space-size=4', '--v8-pool-size=1', noCodeFromText, ...restricted, noWarning, '/app/state-metrics/main.mjs'],
    ],
    ['helm_hook', ['--max-semi-space-size=1', noCodeFromText, ...restricted, noWarning, '/app/helm-hook/main.mjs']],
  ])('called %s runs the bundle of that name and hands on its arguments', (name, expected) => {
    expect(calledWith(name, ['--v=4', '--x'])).toEqual([...expected, '--v=4', '--x']);
    expect(calledWith(name, [])).toEqual(expected);
    expect(shippedFlags(name)).toEqual(expected.slice(0, -1));
  });

  it.each<{ given: string; args: readonly string[]; env?: Readonly<Record<string, string>>; then: boolean }>([
    { given: 'nothing', args: ['--v=4'], then: false },
    { given: 'a kubeconfig', args: ['--v=4', '--kubeconfig=/etc/kubeconfig'], then: true },
    { given: 'a kubeconfig as Go accepts it', args: ['-kubeconfig', '/etc/kubeconfig'], then: true },
    { given: 'a kubeconfig in the environment', args: [], env: { KUBECONFIG: '/etc/kubeconfig' }, then: true },
    { given: 'plugins of the agent', args: ['--plugin-config-file=/etc/plugins.yaml'], then: true },
  ])('allows other programs only for plugins: given $given, $then', ({ args, env, then }) => {
    expect(calledWith('kruise-daemon', args, env).includes('--allow-child-process')).toBe(then);
  });

  it('gives an agent with plugins the flags that tests start one with', () => {
    const args = ['--plugin-config-file=/etc/plugins.yaml'];
    expect(shippedFlags('kruise-daemon', args)).toEqual(calledWith('kruise-daemon', args).slice(0, -2));
  });

  it('leaves a program without eval, other programs, and native addons', async () => {
    for (const [name, app] of [
      ['manager', 'manager'],
      ['kruise-daemon', 'daemon'],
      ['helm_hook', 'helm-hook'],
      ['kruise-state-metrics', 'state-metrics'],
    ] as const) {
      mkdirSync(join(folder, 'app', app), { recursive: true });
      writeFileSync(join(folder, 'app', app, 'main.mjs'), denied);
      await compile('restricted', process.execPath);
      renameSync(join(folder, 'restricted'), join(folder, name));
      const { stdout, stderr } = spawnSync(join(folder, name), { encoding: 'utf8', env: { ...process.env, KUBECONFIG: '' } });
      const worker = name === 'manager' ? 'ok' : 'ERR_ACCESS_DENIED';
      expect({ name, stdout, stderr }).toEqual({
        name,
        stdout: `eval EvalError\nspawn ERR_ACCESS_DENIED\naddon ERR_DLOPEN_DISABLED\nworker ${worker}\n`,
        stderr: '',
      });
    }
  });

  it('says under which names it runs', () => {
    const { status, stderr } = spawnSync(join(folder, 'launcher'), { encoding: 'utf8' });
    expect(status).toBe(127);
    expect(stderr).toContain('must be called manager, kruise-daemon, helm_hook or kruise-state-metrics');
  });
});
