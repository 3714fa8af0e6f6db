/** A C compiler that can link statically, from the machine or, where that is allowed, from its packages. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Absolute path of the first of these commands that is in PATH. */
export function findTool(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

const candidates = (): readonly string[] => [...(process.env.CC === undefined ? [] : [process.env.CC]), 'musl-gcc', 'gcc', 'cc', 'clang'];

function whyNotInstalled(): string | undefined {
  if (process.env.KRUISE_NO_INSTALL === '1') return 'KRUISE_NO_INSTALL=1 forbids to install it';
  if (process.getuid?.() !== 0) return 'it was not installed, because that takes root';
  return findTool(['apt-get']) === undefined ? 'there is no apt-get to install it with' : undefined;
}

/** @returns the path of a compiler; installs Debian's gcc when there is none and it may, and throws with what to do when it may not */
export async function ensureCompiler(): Promise<string> {
  const present = findTool(candidates());
  if (present !== undefined) return present;
  const why = whyNotInstalled();
  if (why !== undefined) throw new Error(`the launcher needs a C compiler and ${why}. On Debian or Ubuntu: apt-get install gcc libc6-dev`);
  console.error('Installing gcc libc6-dev…');
  const apt = (...args: readonly string[]): void => {
    execFileSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  apt('update');
  apt('install', '-y', '--no-install-recommends', 'gcc', 'libc6-dev');
  const installed = findTool(candidates());
  if (installed === undefined) throw new Error('gcc was installed but is not in PATH');
  return installed;
}
