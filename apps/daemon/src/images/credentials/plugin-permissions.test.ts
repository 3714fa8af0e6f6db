/** Plugins under Node's permission model, with the flags that the launcher passes to the agent. @see docs/decisions/permission-model.md */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { shippedFlags } from '@kruise/testing';

const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
const answer = (username: string): string =>
  JSON.stringify({
    apiVersion,
    kind: 'CredentialProviderResponse',
    cacheKeyType: 'Image',
    auth: { 'r.io': { username, password: 'pass' } },
  });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'permissions-'));
  const shell = `#!/bin/sh\ncat >/dev/null && exec echo '${answer('shell')}'\n`;
  const node = `#!${process.execPath}\nrequire('node:fs').readFileSync(0);\nconsole.log('${answer('node')}');\n`;
  writeFileSync(join(folder, 'shell'), shell, { mode: 0o755 });
  writeFileSync(join(folder, 'node'), node, { mode: 0o755 });
  const providers = ['node', 'shell'].map((name) => ({ name, matchImages: ['r.io'], defaultCacheDuration: '0s', apiVersion }));
  const config = { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers };
  writeFileSync(join(folder, 'plugins.json'), JSON.stringify(config));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each<{ given: string; args: readonly string[]; users: string }>([
  { given: 'run when the agent knows their configuration', args: ['--plugin-config-file=f'], users: 'node,shell' },
  { given: 'do not run otherwise', args: [], users: '' },
])('plugins that are programs of the shell and of Node $given', ({ args, users }) => {
  const program = join(import.meta.dirname, 'ask-plugin.testing.ts');
  const line = [...shippedFlags('kruise-daemon', args), program, join(folder, 'plugins.json'), folder, 'r.io/app'];
  expect(execFileSync(process.execPath, line, { encoding: 'utf8' }).trim()).toBe(users);
});
