/** The commands of the machine that real nodes need, and the Debian packages that contain them. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Progress } from '../progress.ts';

const run = promisify(execFile);

/** Debian package of each command or file. A path is looked up as it is, a name in PATH and the system's folders. */
const requirements: Readonly<Record<string, string>> = {
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

/** Returns PATH with the folders of administrators' commands, which a user's PATH may lack. */
const administratorPath = (path = process.env.PATH ?? ''): string =>
  [...new Set([...path.split(delimiter), ...systemFolders])].filter(Boolean).join(delimiter);

/** Returns the absolute path of a command, undefined when there is none. */
export function findCommand(name: string): string | undefined {
  if (name.startsWith('/')) return existsSync(name) ? name : undefined;
  return administratorPath()
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Runs a command of the machine. @returns its output; throws with its error output when it fails */
export async function runCommand(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(command, args, { env: { ...process.env, PATH: administratorPath(), LC_ALL: 'C' }, maxBuffer: 64 << 20 });
  return stdout;
}

/** Runs a command whose failure does not matter, because it may have nothing to do. @returns its output, '' when it failed */
export async function tryCommand(command: string, args: readonly string[]): Promise<string> {
  try {
    return await runCommand(command, args);
  } catch {
    return '';
  }
}

const missingCommands = (): readonly string[] => Object.keys(requirements).filter((name) => findCommand(name) === undefined);

const packagesOf = (commands: readonly string[]): readonly string[] => [...new Set(commands.flatMap((name) => requirements[name] ?? []))];

/** Returns the message for a machine that lacks commands which may not or cannot be installed. */
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

/** What decides whether a machine can run real nodes. */
export interface HostFacts {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** Effective capabilities of this process as in `/proc/self/status`, in hexadecimal; undefined when they cannot be read. */
  readonly capabilities: string | undefined;
  readonly missingCommands: readonly string[];
  /** Why missing commands cannot be installed; undefined when they can. */
  readonly whyNotInstalled: string | undefined;
}

/** Bits of the capabilities that mounts and network links need. */
const neededCapabilities: Readonly<Record<string, bigint>> = { CAP_NET_ADMIN: 12n, CAP_SYS_ADMIN: 21n };

/** Returns the needed capabilities that a process lacks, e.g. in a container that is not privileged. */
function lackingCapabilities(capabilities: string | undefined): readonly string[] {
  if (capabilities === undefined) return [];
  const held = BigInt(`0x${capabilities}`);
  return Object.entries(neededCapabilities).flatMap(([name, bit]) => (((held >> bit) & 1n) === 1n ? [] : [name]));
}

/** Returns why a machine with these facts cannot run real nodes, as a sentence; undefined when it can. */
export function reasonAgainstRealNodes(facts: HostFacts): string | undefined {
  const { platform, isRoot, capabilities, missingCommands: missing, whyNotInstalled: why } = facts;
  if (platform !== 'linux') return `Real nodes need Linux, and this is ${platform === 'darwin' ? 'macOS' : platform}.`;
  if (!isRoot) return 'Real nodes need root (containers, network links, mounts), and this user is not root.';
  const lacking = lackingCapabilities(capabilities);
  if (lacking.length > 0) return `Real nodes need ${lacking.join(' and ')}, which this process lacks: is it in an unprivileged container?`;
  return missing.length > 0 && why !== undefined ? explainMissing(missing, why) : undefined;
}

function readCapabilities(): string | undefined {
  try {
    return /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  } catch {
    return undefined; // not Linux
  }
}

/** Returns why this machine cannot run real nodes, as a sentence; undefined when it can, after an installation of packages if necessary. */
export function whyNoRealNodes(): string | undefined {
  return reasonAgainstRealNodes({
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    capabilities: readCapabilities(),
    missingCommands: missingCommands(),
    whyNotInstalled: whyNotInstalled(process.env),
  });
}

/** Thrown when this machine cannot run real nodes now; the message contains the reason. Nothing was changed on it except for installed packages. */
export class NoRealNodes extends Error {
  override readonly name = 'NoRealNodes';
}

/** Installs the commands that real nodes need and this machine lacks. @throws {NoRealNodes} unless it can run real nodes */
export async function ensureHostCommands(progress: Progress): Promise<void> {
  const why = whyNoRealNodes();
  if (why !== undefined) throw new NoRealNodes(why);
  const missing = missingCommands();
  if (missing.length === 0) return;
  const packages = packagesOf(missing);
  progress.note(`installing ${packages.join(' ')}…`);
  try {
    await progress.step(`installed ${packages.join(' ')}`, () => install(packages));
  } catch (error) {
    const said = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    throw new NoRealNodes(explainMissing(missing, `apt-get failed (${said})`), { cause: error });
  }
  const still = missingCommands();
  if (still.length > 0) throw new NoRealNodes(explainMissing(still, 'the packages do not contain them'));
}

/** Installs packages. A service that a package contains is not started: the cluster runs its own. */
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
