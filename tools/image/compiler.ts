/** A C compiler that can link statically, from the machine or, where that is allowed, from its packages. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ImagePlatform } from './platforms.ts';

/** Absolute path of the first of these commands that is in PATH. */
export function findTool(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

interface Toolchain {
  /** In the order of preference. */
  readonly commands: readonly string[];
  /** Debian's packages that contain one of the commands. */
  readonly packages: readonly string[];
}

const native = ['gcc', 'libc6-dev'];

/** Debian names its compilers after the architecture for which they compile, also that of the machine. */
const toolchainFor = ({ triple, process: architecture, crossCompiler }: ImagePlatform): Toolchain => ({
  commands: [`${triple}-gcc`],
  packages: architecture === process.arch ? native : crossCompiler,
});

const toolchainOfMachine = (): Toolchain => ({
  commands: [...(process.env.CC === undefined ? [] : [process.env.CC]), 'musl-gcc', 'gcc', 'cc', 'clang'],
  packages: native,
});

function whyNotInstalled(): string | undefined {
  if (process.env.KRUISE_NO_INSTALL === '1') return 'KRUISE_NO_INSTALL=1 forbids to install it';
  if (process.getuid?.() !== 0) return 'it was not installed, because that takes root';
  return findTool(['apt-get']) === undefined ? 'there is no apt-get to install it with' : undefined;
}

/** Returns the path of a compiler for the platform that is installed already. */
export const findCompiler = (platform: ImagePlatform): string | undefined => findTool(toolchainFor(platform).commands);

/**
 * Installs Debian's gcc if there is no compiler.
 *
 * @param platform for which the compiler compiles; without it, the compiler is one for this machine
 * @returns the path of the compiler
 * @throws with the command to run, when there is no compiler and it must not be installed
 */
export async function ensureCompiler(platform?: ImagePlatform): Promise<string> {
  const { commands, packages } = platform === undefined ? toolchainOfMachine() : toolchainFor(platform);
  const present = findTool(commands);
  if (present !== undefined) return present;
  const why = whyNotInstalled();
  const target = platform === undefined ? '' : ` for ${platform.name}`;
  if (why !== undefined)
    throw new Error(`the launcher needs a C compiler${target} and ${why}. On Debian or Ubuntu: apt-get install ${packages.join(' ')}`);
  console.error(`Installing ${packages.join(' ')}…`);
  const apt = (...args: readonly string[]): void => {
    execFileSync('apt-get', ['-qq', ...args], { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  };
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...packages);
  const installed = findTool(commands);
  if (installed === undefined) throw new Error(`${packages.join(' ')} was installed, but ${commands.join(', ')} is not in PATH`);
  return installed;
}
