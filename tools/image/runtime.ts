/**
 * The layer below the apps: Node, the libraries it needs, the launchers and the few files that programs expect of a system. Node and the libraries are those
 * of this machine or, for a named platform, those of pinned packages.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { ensureNode, pinnedNode } from '../release/node/node-package.ts';
import { stripSymbols } from '../release/node/strip-symbols.ts';
import { ensureCompiler } from './compiler.ts';
import { ensureLibraries } from './debian-libraries.ts';
import { librariesOf, type Library } from './elf.ts';
import type { ImagePlatform } from './platforms.ts';
import type { TarEntry } from '@kruise/testing';

/** Whom the manager runs as; the image's files are root's, so that it cannot change them. */
export const userId = 65534;

/** Names of the launcher; deploy/launcher/launcher.c defines which bundle each runs. */
const launchers = ['manager', 'kruise-daemon', 'helm_hook', 'kruise-state-metrics'] as const;

const text = (path: string, content: string): TarEntry => ({ kind: 'file', path, content: Buffer.from(content) });

/**
 * Absolute paths of the shared libraries and the loader in the output of `ldd`, sorted.
 * @throws when a library was not found
 */
export function librariesIn(ldd: string): readonly string[] {
  const missing = /^\s*(\S+) => not found/m.exec(ldd);
  if (missing !== null) throw new Error(`this machine lacks the library ${missing[1]}`);
  return [...ldd.matchAll(/(?:=>\s*|^\s*)(\/\S+) \(0x/gm)].map(([, path]) => path ?? '').sort();
}

async function launcher(root: string, platform: ImagePlatform | undefined): Promise<Buffer> {
  const compiler = await ensureCompiler(platform);
  const folder = mkdtempSync(join(tmpdir(), 'kruise-image-'));
  try {
    const flags = ['-static', '-Os', '-s', '-Wall', '-ffunction-sections', '-fdata-sections', '-Wl,--gc-sections,--build-id=none'];
    execFileSync(compiler, [...flags, '-o', join(folder, 'launcher'), join(root, 'deploy/launcher/launcher.c')], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return readFileSync(join(folder, 'launcher'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What programs expect to find: users, name resolution, certificate authorities (those of the pinned Node; time zones are inside of Node). */
function systemFiles(): readonly TarEntry[] {
  return [
    text('etc/passwd', `root:x:0:0:root:/root:/nonexistent\nnonroot:x:${userId}:${userId}:nonroot:/tmp:/nonexistent\n`),
    text('etc/group', `root:x:0:\nnonroot:x:${userId}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    text('etc/ssl/certs/ca-certificates.crt', `${rootCertificates.join('\n')}\n`),
    { kind: 'folder', path: 'tmp', mode: 0o1777, owner: userId },
    { kind: 'folder', path: 'log', owner: userId },
    { kind: 'folder', path: 'root', mode: 0o700 },
  ];
}

interface LinkedNode {
  readonly node: Buffer;
  readonly libraries: readonly Library[];
}

function nodeOfMachine(): LinkedNode {
  const ldd = execFileSync('ldd', [process.execPath], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const libraries = librariesIn(ldd).map((path) => ({ path, content: readFileSync(path) }));
  return { node: readFileSync(process.execPath), libraries };
}

async function nodeOfPackages(platform: ImagePlatform): Promise<LinkedNode> {
  const node = readFileSync(await ensureNode(pinnedNode('image', platform.nodePackage)));
  return { node, libraries: librariesOf(node, await ensureLibraries(platform)) };
}

/**
 * @param platform for which the layer is made of pinned packages; without it, of the Node and the libraries of this machine
 * @throws when this is not Linux, there is no C compiler and none can be installed, or a package is not available
 */
export async function runtimeEntries(root: string, platform?: ImagePlatform): Promise<readonly TarEntry[]> {
  if (process.platform !== 'linux') throw new Error(`the image can be built only on Linux, this is ${process.platform}`);
  const { node, libraries } = platform === undefined ? nodeOfMachine() : await nodeOfPackages(platform);
  const [first = 'manager', ...others] = launchers;
  return [
    ...systemFiles(),
    { kind: 'file', path: 'usr/local/bin/node', mode: 0o755, content: stripSymbols(node) },
    ...libraries.map(({ path, content }): TarEntry => ({ kind: 'file', path: path.slice(1), mode: 0o755, content })),
    { kind: 'file', path: first, mode: 0o755, content: await launcher(root, platform) },
    ...others.map((name): TarEntry => ({ kind: 'hard link', path: name, target: first })),
  ];
}
