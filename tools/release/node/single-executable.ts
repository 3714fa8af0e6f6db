/** Puts a script into a copy of Node, so that both are one program (https://nodejs.org/api/single-executable-applications.html). */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPlatform, type Platform } from '../platforms.ts';
import { stripSymbols } from './strip-symbols.ts';

/** V8 takes the seeds of its hash tables from it: the same code cache for the same script. */
const sameCodeCache = '--random-seed=1';

/** Without this, `NODE_OPTIONS` that a user has set for other programs could change what V8 accepts, and Node could warn on stderr. */
const runtimeOptions = { execArgv: ['--no-warnings'], execArgvExtension: 'none' };

export interface ExecutableParts {
  /** Path of the bundle, one ES module. */
  readonly script: string;
  /** Path of the platform's Node. */
  readonly node: string;
  /** Path of the Node that builds, of the same version. */
  readonly buildNode: string;
}

/**
 * @returns the program
 * @remarks V8 reads a code cache only on the platform that it was made on, so programs of other platforms compile their script at each start.
 */
export async function singleExecutable(platform: Platform, { script, node, buildNode }: ExecutableParts): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'kruise-executable-'));
  try {
    const input = await readFile(node);
    await writeFile(join(folder, 'node'), platform.os === 'linux' ? stripSymbols(input) : input);
    await copyFile(script, join(folder, 'main.mjs'));
    // Relative, because the program contains the path of its script.
    const config = {
      main: 'main.mjs',
      mainFormat: 'module',
      executable: 'node',
      output: 'program',
      disableExperimentalSEAWarning: true,
      useCodeCache: platform.os === buildPlatform.os && platform.arch === buildPlatform.arch,
      ...runtimeOptions,
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    await promisify(execFile)(buildNode, [sameCodeCache, '--build-sea', 'config.json'], { cwd: folder });
    return await readFile(join(folder, 'program'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
