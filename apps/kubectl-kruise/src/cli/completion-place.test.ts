/** Where completion scripts are written. */
import { describe, expect, it } from '@jest/globals';
import { completionPlace, loginShell } from './completion-place.ts';

describe('the place of the script', () => {
  it.each([
    { shell: 'bash', env: { HOME: '/home/a' }, path: '/home/a/.local/share/bash-completion/completions/kubectl-kruise' },
    { shell: 'bash', env: { HOME: '/home/a', XDG_DATA_HOME: '/data' }, path: '/data/bash-completion/completions/kubectl-kruise' },
    { shell: 'bash', env: { HOME: '/home/a', BASH_COMPLETION_USER_DIR: '/own' }, path: '/own/completions/kubectl-kruise' },
    { shell: 'zsh', env: { HOME: '/home/a', XDG_DATA_HOME: '' }, path: '/home/a/.local/share/zsh/site-functions/_kubectl-kruise' },
    { shell: 'fish', env: { HOME: '/home/a' }, path: '/home/a/.config/fish/completions/kubectl-kruise.fish' },
    { shell: 'fish', env: { HOME: '/home/a', XDG_CONFIG_HOME: '/c' }, path: '/c/fish/completions/kubectl-kruise.fish' },
    { shell: 'powershell', env: { USERPROFILE: 'C:/a' }, path: 'C:/a/.config/powershell/kubectl-kruise.ps1' },
  ])('of $shell with $env is $path', ({ shell, env, path }) => {
    expect(completionPlace(shell, env)?.path).toBe(path);
  });

  it('is named in what is left to do, where something is', () => {
    expect(completionPlace('zsh', { HOME: '/h' })?.note).toContain('fpath=(/h/.local/share/zsh/site-functions $fpath)');
    expect(completionPlace('powershell', { HOME: '/h' })?.note).toContain('. /h/.config/powershell/kubectl-kruise.ps1');
  });

  it('is none for a shell that is not known', () => {
    expect(completionPlace('csh', {})).toBeUndefined();
    expect(completionPlace('constructor', {})).toBeUndefined();
  });
});

it.each([
  [{ SHELL: '/bin/zsh' }, 'zsh'],
  [{ SHELL: 'pwsh' }, 'powershell'],
  [{}, ''],
])('the login shell of %s is %s', (env, shell) => {
  expect(loginShell(env)).toBe(shell);
});
