import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureCompiler } from './compiler.ts';

const source = join(import.meta.dirname, '../../deploy/launcher/launcher.c');

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'launcher-'));
  execFileSync(await ensureCompiler(), [
    '-static',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-DNODE="/bin/echo"',
    '-o',
    join(folder, 'launcher'),
    source,
  ]);
  for (const name of ['manager', 'kruise-daemon', 'helm_hook']) copyFileSync(join(folder, 'launcher'), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What Node would be called with; a limit of this machine's own cgroup is left out. */
function calledWith(name: string, args: readonly string[]): readonly string[] {
  const said = execFileSync(join(folder, name), [...args], { encoding: 'utf8' })
    .trim()
    .split(' ');
  return said.filter((word) => !word.startsWith('--max-old-space-size='));
}

describe('the launcher', () => {
  it.each([
    ['manager', ['--max-semi-space-size=1', '--v8-pool-size=1', '--disallow-code-generation-from-strings', '/app/manager/main.mjs']],
    [
      'kruise-daemon',
      ['--max-semi-space-size=1', '--v8-pool-size=1', '--optimize-for-size', '--no-opt', '--no-maglev', '/app/daemon/main.mjs'],
    ],
    ['helm_hook', ['--max-semi-space-size=1', '--disallow-code-generation-from-strings', '/app/helm-hook/main.mjs']],
  ])('called %s runs the bundle of that name and hands on its arguments', (name, expected) => {
    expect(calledWith(name, ['--v=4', '--x'])).toEqual([...expected, '--v=4', '--x']);
    expect(calledWith(name, [])).toEqual(expected);
  });

  it('says under which names it runs', () => {
    const { status, stderr } = spawnSync(join(folder, 'launcher'), { encoding: 'utf8' });
    expect(status).toBe(127);
    expect(stderr).toContain('must be called manager, kruise-daemon or helm_hook');
  });
});
