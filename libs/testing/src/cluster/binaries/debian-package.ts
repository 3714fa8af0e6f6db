/** Fetches programs from a package of Debian without installing it. apt verifies the signature of the archive. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Env } from './cache.ts';

const run = promisify(execFile);

/** Downloads the package into `folder`. If apt does not know it yet and this is root, updates apt's lists first. */
async function download(name: string, folder: string, env: Env): Promise<void> {
  // The user `_apt`, as which root's apt downloads, cannot write into the folder.
  const apt = (...args: readonly string[]): Promise<unknown> =>
    run('apt-get', ['-qq', '-o', 'APT::Sandbox::User=root', '-o', 'DPkg::Lock::Timeout=300', ...args], { cwd: folder, env });
  try {
    await apt('download', name);
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    await apt('update');
    await apt('download', name);
  }
}

/**
 * Fetches programs from a package.
 *
 * @param files path in the package, without a leading slash, and path that the program gets
 * @throws when apt cannot fetch the package, or it lacks one of the files
 * @remarks The version is that of the machine's Debian release.
 */
export async function fetchDebianPackage(name: string, files: ReadonlyMap<string, string>, env: Env): Promise<void> {
  const [first] = files.values();
  if (first === undefined) return;
  await mkdir(dirname(first), { recursive: true });
  const folder = await mkdtemp(join(dirname(first), '.debian-'));
  try {
    await download(name, folder, env);
    const [archive = 'no file'] = await readdir(folder);
    await run('dpkg-deb', ['-x', join(folder, archive), join(folder, 'content')], { env });
    for (const [path, target] of files) {
      await chmod(join(folder, 'content', path), 0o755);
      await rename(join(folder, 'content', path), target);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
