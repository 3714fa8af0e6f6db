/**
 * Builds programs from a Go module that the project pins, all in one `go build`, so that shared packages are compiled once and linked side by side.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildEnv, moduleFolder } from './cache.ts';
import { type GoModule } from './catalogue.ts';

const run = promisify(execFile);
const listLimitBytes = 64 << 20;

/** One program to build. */
export interface GoProgram {
  readonly goPackage: string;
  /** Path of the built program. */
  readonly target: string;
}

/** Returns whether the `go` command works. */
export async function hasGo(env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    await run('go', ['version'], { env });
    return true;
  } catch {
    return false;
  }
}

/** Returns the file name that `go build` gives to a command: the last part of its path that is no major version. */
const commandName = (goPackage: string): string =>
  goPackage
    .split('/')
    .filter((part) => !/^v\d+$/.test(part))
    .at(-1) ?? goPackage;

/** Collects garbage less often than by default, where the compiler spends a fifth of its time on it, within the memory of a small machine. */
const compilerEnv = { GOGC: '400', GOMEMLIMIT: '3GiB' };

async function countPackages(module: GoModule, packages: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { stdout } = await run('go', ['list', '-deps', ...packages], { cwd: moduleFolder(module), env, maxBuffer: listLimitBytes });
  return stdout.trim().split('\n').length;
}

interface Compilation {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly onPackage: () => void;
  readonly signal: AbortSignal | undefined;
}

function compile(module: GoModule, { args, env, onPackage, signal }: Compilation): Promise<void> {
  // SIGINT is what makes Go delete its work folder.
  const go = spawn('go', args, { cwd: moduleFolder(module), env, signal, killSignal: 'SIGINT', stdio: ['ignore', 'ignore', 'pipe'] });
  let tail = '';
  go.stderr.setEncoding('utf8').on('data', (text: string) => {
    for (const _ of text.matchAll(/\n/g)) onPackage();
    tail = (tail + text).slice(-4_000);
  });
  return new Promise((resolve, reject) => {
    let cause: Error | undefined;
    go.once('error', (error) => (cause = error));
    // After an abort, too: the caller deletes the folder that Go writes to.
    go.once('close', (code) =>
      code === 0 ? resolve() : reject(cause ?? new Error(`go build in ${module.folder} failed:\n${tail.trim()}`)),
    );
  });
}

/**
 * Builds programs of one module.
 *
 * @param onProgress called for each compiled package with how many are done and how many there are; packages in Go's cache are not counted
 * @param signal ends the build; nothing that it had begun is left
 * @throws with the end of what the compiler printed, or an `AbortError`
 * @remarks A program appears under its name only when it is complete.
 */
export async function goBuild(
  module: GoModule,
  wanted: readonly GoProgram[],
  environment: NodeJS.ProcessEnv,
  onProgress: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const [first] = wanted;
  if (first === undefined) return;
  const env = { ...compilerEnv, ...environment, ...buildEnv };
  const packages = wanted.map(({ goPackage }) => goPackage);
  await mkdir(dirname(first.target), { recursive: true });
  const folder = await mkdtemp(join(dirname(first.target), '.build-'));
  try {
    const total = await countPackages(module, packages, env);
    let done = 0;
    const flags = ['-v', '-trimpath', '-gcflags=all=-dwarf=false', '-ldflags', ['-s', '-w', ...(module.stamp ?? [])].join(' ')];
    const args = ['build', ...flags, '-o', `${folder}/`, ...packages];
    await compile(module, { args, env, onPackage: () => onProgress((done += 1), total), signal });
    for (const { goPackage, target } of wanted) await rename(join(folder, commandName(goPackage)), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
