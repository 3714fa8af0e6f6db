/** `completion install`, the scripts, and the version. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fakeApi, kruiseRun } from '../../testing.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'completion-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const install = (shell: string, env: Readonly<Record<string, string>> = {}): ReturnType<typeof kruiseRun> =>
  kruiseRun(fakeApi(), `completion install ${shell}`.trim(), { env: { HOME: home, ...env }, unreachable: true });

describe('completion install', () => {
  it.each([
    ['bash', '.local/share/bash-completion/completions/kubectl-kruise'],
    ['zsh', '.local/share/zsh/site-functions/_kubectl-kruise'],
    ['fish', '.config/fish/completions/kubectl-kruise.fish'],
    ['powershell', '.config/powershell/kubectl-kruise.ps1'],
  ])('writes the script of %s, says where, and changes nothing the second time', async (shell, place) => {
    const path = join(home, place);
    const first = await install(shell);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out.split('\n')[0]).toBe(`${path} written`);
    expect(readFileSync(path, 'utf8')).toBe((await kruiseRun(fakeApi(), `completion ${shell}`)).out);
    expect((await install(shell)).out.split('\n')[0]).toBe(`${path} is up to date`);
  });

  it('replaces an older script', async () => {
    const folder = join(home, '.config/fish/completions');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'kubectl-kruise.fish'), 'old');
    expect((await install('fish')).out).toMatch(/ written\n/);
    expect(readFileSync(join(folder, 'kubectl-kruise.fish'), 'utf8')).toContain('complete -c kubectl-kruise');
  });

  it('takes the login shell', async () => {
    expect((await install('', { SHELL: '/usr/bin/fish' })).out).toContain('/fish/completions/');
  });

  it.each([
    { name: 'without a shell', shell: '', err: 'error: name the shell: bash, zsh, fish or powershell\n' },
    { name: 'for an unknown shell', shell: 'csh', err: 'error: unsupported shell type "csh"\n' },
    { name: 'for two shells', shell: 'bash zsh', err: /too many arguments/ },
  ])('fails $name', async ({ shell, err }) => {
    const result = await install(shell);
    expect(result.code).toBe(1);
    expect(result.err).toMatch(err);
  });

  it('names the path that it cannot write', async () => {
    writeFileSync(join(home, '.config'), '');
    expect(await install('fish')).toMatchObject({
      code: 1,
      err: `error: cannot write ${home}/.config/fish/completions/kubectl-kruise.fish: ENOTDIR\n`,
    });
  });
});

describe('completion install', () => {
  const program = (folder: string, name: string): string => {
    const path = join(home, folder, name);
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(path, '', { mode: 0o755 });
    return path;
  };
  const lastLines = async (path: string): Promise<readonly string[]> =>
    (await install('fish', { PATH: path })).out.trimEnd().split('\n').slice(2);

  it('writes the program that kubectl asks beside the plugin in the PATH', async () => {
    program('a', 'other');
    program('b', 'kubectl-kruise');
    const path = join(home, 'b/kubectl_complete-kruise');
    const folders = `${home}/a:${home}/b`;
    expect(await lastLines(folders)).toEqual([`${path} written`, 'kubectl completes kubectl kruise with it.']);
    expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\nexec kubectl-kruise __complete "$@"\n');
    expect(statSync(path).mode & 0o111).toBe(0o111);
    expect(await lastLines(folders)).toEqual([`kubectl completes kubectl kruise with ${path}`]);
  });

  it('leaves the program of an archive or of npm as it is', async () => {
    program('a', 'kubectl-kruise');
    const path = program('b', 'kubectl_complete-kruise');
    expect(await lastLines(`${home}/a:${home}/b`)).toEqual([`kubectl completes kubectl kruise with ${path}`]);
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('says what to write where it cannot', async () => {
    program('a', 'kubectl-kruise');
    const content = ['#!/bin/sh', 'exec kubectl-kruise __complete "$@"'];
    const todo = 'Put an executable file kubectl_complete-kruise into a folder of the PATH, with this content:';
    symlinkSync(join(home, 'absent/folder'), join(home, 'a/kubectl_complete-kruise'));
    expect(await lastLines(`${home}/a`)).toEqual([
      `kubectl cannot complete kubectl kruise: cannot write ${home}/a/kubectl_complete-kruise: ENOENT. ${todo}`,
      ...content,
    ]);
    expect(await lastLines(`${home}/none`)).toEqual([
      `kubectl cannot complete kubectl kruise: kubectl-kruise is not in the PATH. ${todo}`,
      ...content,
    ]);
  });
});

it.each(['version --client', 'version --client -o json'])('%s needs no cluster', async (line) => {
  expect(await kruiseRun(fakeApi(), line, { unreachable: true })).toMatchObject({ code: 0, err: '' });
});

it('the script of zsh completes as a file of fpath, too', async () => {
  const { out } = await kruiseRun(fakeApi(), 'completion zsh');
  expect(out).toMatch(/^#compdef kubectl-kruise\n/);
  expect(out).toContain('[ "${funcstack[1]}" = "_kubectl-kruise" ]');
});
