/**
 * The Node of a platform, from its npm package. `node-packages.json` pins a version for the plugin and one for the image, with the digest of each package.
 * npm's configuration names the registry. A package is fetched once and kept in the cache outside the tree.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheFolder } from '@kruise/testing';

/** One npm package that contains Node. */
export interface NodePackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-` and base64. */
  readonly integrity: string;
}

interface Pinned {
  readonly version: string;
  /** By package. */
  readonly integrity: Readonly<Record<string, string>>;
}

type Product = 'plugin' | 'image';

const pinned = JSON.parse(readFileSync(new URL('./node-packages.json', import.meta.url), 'utf8')) as Readonly<Record<Product, Pinned>>;

/** @throws for a package that is not pinned for the product */
export function pinnedNode(product: Product, name: string): NodePackage {
  const { version, integrity } = pinned[product];
  if (integrity[name] === undefined) throw new Error(`${name} is not in node-packages.json for the ${product}`);
  return { name, version, integrity: integrity[name] };
}

const run = promisify(execFile);

/** Returns what `package-lock.json` would have for the package. */
export const lockedNode = ({
  version,
  integrity,
}: NodePackage): { readonly version: string; readonly integrity: string; readonly license: string } => ({
  version,
  integrity,
  license: 'MIT',
});

/** Where a package is unpacked, named after its content. */
function folderOf({ name, version, integrity }: NodePackage, env: NodeJS.ProcessEnv = process.env): string {
  const hash = createHash('sha256').update(integrity).digest('hex');
  return join(cacheFolder(env), 'node-packages', `${name}-${version}-${hash.slice(0, 16)}`);
}

/** Whether a run needs no network for these packages. */
export const areNodesCached = (packages: readonly NodePackage[], env: NodeJS.ProcessEnv = process.env): boolean =>
  packages.every((one) => existsSync(folderOf(one, env)));

async function checkDigest(archive: string, { name, version, integrity }: NodePackage): Promise<void> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(archive), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== integrity) throw new Error(`${name}@${version}: the digest of the package is ${found}, not that of node-packages.json`);
}

/** npm writes its reasons to stderr, a line for each. */
async function pack({ name, version }: NodePackage, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ['pack', '--loglevel=error', '--pack-destination', folder, `${name}@${version}`];
  try {
    await run('npm', args, { cwd: folder, env });
  } catch (error) {
    const { stderr = String(error) } = error as { readonly stderr?: string };
    throw new Error(`${name}@${version} is not in the cache (${cacheFolder(env)}), and npm cannot fetch it:\n${stderr.trim()}`);
  }
}

async function fetchPackage(one: NodePackage, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(join(dirname(folder), '.fetch-'));
  try {
    await pack(one, temporary, env);
    const [archive = 'no file'] = await readdir(temporary);
    await checkDigest(join(temporary, archive), one);
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
export async function ensureNode(one: NodePackage, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const folder = folderOf(one, env);
  if (!existsSync(folder)) await fetchPackage(one, folder, env);
  const programs = await readdir(join(folder, 'bin'));
  return join(
    folder,
    'bin',
    programs.find((program) => /^node(\.exe)?$/.test(program))!,
  );
}

/** @returns the licence text of Node with those of its own libraries; only some of the packages have it, and it is the same in all */
export async function nodeLicense(one: NodePackage): Promise<string> {
  await ensureNode(one);
  return readFile(join(folderOf(one), 'LICENSE'), 'utf8');
}
