/** The commands of the machine that real nodes need, and the Debian packages they come in. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Progress } from './progress.ts';

const run = promisify(execFile);

/** Debian package of each command or file; a path is looked for as it is, a name in PATH and the system's folders. */
export const requirements: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  'containerd-shim-runc-v2': 'containerd',
  runc: 'runc',
  '/usr/lib/cni/bridge': 'containernetworking-plugins',
  '/usr/lib/cni/host-local': 'containernetworking-plugins',
  '/usr/lib/cni/portmap': 'containernetworking-plugins',
  'docker-registry': 'docker-registry',
  busybox: 'busybox-static',
  catatonit: 'catatonit',
  nft: 'nftables',
  iptables: 'iptables',
  ip: 'iproute2',
  mount: 'mount',
};

const systemFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** PATH with the folders where administrators' commands are, which a user's PATH may lack. */
export const administratorPath = (path = process.env.PATH ?? ''): string =>
  [...new Set([...path.split(delimiter), ...systemFolders])].filter(Boolean).join(delimiter);

/** Absolute path of a command, undefined when there is none. */
export function findCommand(name: string): string | undefined {
  if (name.startsWith('/')) return existsSync(name) ? name : undefined;
  return administratorPath()
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Runs a command of the machine. @returns what it printed; throws with what it said when it fails */
export async function runCommand(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, args, { env: { ...process.env, PATH: administratorPath(), LC_ALL: 'C' }, maxBuffer: 64 << 20 });
  return stdout;
}

/** Runs a command whose failure does not matter, as it may have nothing to do. @returns what it printed, '' when it failed */
export async function tryCommand(command: string, args: readonly string[]): Promise<string> {
  try {
    return await runCommand(command, args);
  } catch {
    return '';
  }
}

export const missingCommands = (): readonly string[] => Object.keys(requirements).filter((name) => findCommand(name) === undefined);

const packagesOf = (commands: readonly string[]): readonly string[] => [...new Set(commands.flatMap((name) => requirements[name] ?? []))];

/** The message for a machine that lacks commands which may not or cannot be installed. */
export function explainMissing(commands: readonly string[], why: string): string {
  return [
    `Real nodes need commands that this machine lacks: ${commands.join(', ')}.`,
    `They were not installed, because ${why}.`,
    `On Debian or Ubuntu: apt-get install ${packagesOf(commands).join(' ')}`,
  ].join('\n');
}

function whyNotInstalled(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env.KRUISE_NO_INSTALL === '1') return 'KRUISE_NO_INSTALL=1 forbids it';
  if (process.getuid?.() !== 0) return 'that takes root';
  return findCommand('apt-get') === undefined ? 'there is no apt-get' : undefined;
}

/** @throws unless this machine can run real nodes; installs what is missing when it may */
export async function ensureHostCommands(progress: Progress): Promise<void> {
  if (process.platform !== 'linux') throw new Error(`real nodes need Linux, this is ${process.platform}`);
  const missing = missingCommands();
  const why = whyNotInstalled(process.env);
  if (missing.length > 0 && why !== undefined) throw new Error(explainMissing(missing, why));
  if (process.getuid?.() !== 0) throw new Error('real nodes need root (containers, network links, mounts); --control-plane-only does not');
  if (missing.length === 0) return;
  const packages = packagesOf(missing);
  progress.note(`installing ${packages.join(' ')}…`);
  await progress.step(`installed ${packages.join(' ')}`, () => install(packages));
  const still = missingCommands();
  if (still.length > 0) throw new Error(explainMissing(still, 'the packages do not contain them'));
}

/** A service that a package brings is not started: the cluster runs its own. */
async function install(packages: readonly string[]): Promise<void> {
  const apt = (...args: string[]): Promise<string> =>
    runCommand('env', ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get', '-qq', ...args]);
  try {
    await apt('install', '-y', '--no-install-recommends', ...packages);
  } catch {
    await apt('update');
    await apt('install', '-y', '--no-install-recommends', ...packages);
  }
}
