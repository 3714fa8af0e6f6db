/**
 * What real nodes leave on the machine outside the cluster's folder, and how it is removed: the state before is recorded at the start, so that only
 * additions are removed.
 */
import { existsSync, lstatSync, readFileSync, readdirSync, readlinkSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterFolderVariable } from '../component-set.ts';
import { runCommand, tryCommand } from './host-commands.ts';
import { cgroupPrefix, cniNetwork, nodeBridge, podBridge } from '../node-components.ts';
import { endProcess, identify, processesMarked } from './process-identity.ts';

const sysctls = [
  'net/ipv4/ip_forward',
  'net/ipv4/conf/all/route_localnet',
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
].map((name) => `/proc/sys/${name}`);

/** Folders that the components fill and whose location cannot be configured, with all their parents when they did not exist before. */
const sharedFolders = [
  '/tmp/hostpath_pv',
  '/var/log/containers',
  '/var/lib/cni/results',
  '/run/containerd/s',
  '/run/containerd',
  '/var/lib/cni',
  '/var/lib/kubelet/device-plugins',
  '/var/lib/kubelet',
  '/run/netns',
];
/** Everything that was added to these since the start belongs to the cluster. */
const ownedFolders = ['/tmp/hostpath_pv', '/var/lib/kubelet/device-plugins'];

export interface HostSnapshot {
  readonly sysctls: Readonly<Record<string, string>>;
  /** As `nft list tables` prints them. */
  readonly tables: readonly string[];
  /** `<iptables command> <table> <chain>`. */
  readonly chains: readonly string[];
  /** Entries of each of the shared folders that existed. */
  readonly folders: Readonly<Record<string, readonly string[]>>;
}

const readText = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const listFolder = (path: string): readonly string[] => (existsSync(path) ? readdirSync(path) : []);
const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** Returns the chains of Kubernetes and CNI in the text of `iptables-save`, as `<table> <chain>`. */
export function parseChains(saved: string): readonly string[] {
  let table = '';
  return lines(saved).flatMap((line) => {
    if (line.startsWith('*')) table = line.slice(1);
    return /^:(KUBE|CNI)-/.test(line) ? [`${table} ${line.slice(1).split(' ')[0]}`] : [];
  });
}

/** Returns the targets of /proc/mounts at or below `folder`, deepest first; blanks are octal escapes there. */
export function parseMounts(mounts: string, folder: string): readonly string[] {
  return lines(mounts)
    .map((line) => (line.split(' ')[1] ?? '').replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))))
    .filter((target) => target === folder || target.startsWith(`${folder}/`))
    .reverse();
}

const iptablesCommands = ['iptables', 'ip6tables'] as const;

async function chains(): Promise<readonly string[]> {
  const perCommand = await Promise.all(
    iptablesCommands.map(async (command) => parseChains(await tryCommand(`${command}-save`, [])).map((chain) => `${command} ${chain}`)),
  );
  return perCommand.flat();
}

const tables = async (): Promise<readonly string[]> => lines(await tryCommand('nft', ['list', 'tables']));

export async function snapshotHost(): Promise<HostSnapshot> {
  return {
    sysctls: Object.fromEntries(sysctls.filter((path) => existsSync(path)).map((path) => [path, readText(path).trim()])),
    tables: await tables(),
    chains: await chains(),
    folders: Object.fromEntries(sharedFolders.filter((path) => existsSync(path)).map((path) => [path, listFolder(path)])),
  };
}

async function removeChains(before: HostSnapshot): Promise<void> {
  const added = (await chains()).filter((chain) => !before.chains.includes(chain)).map((chain) => chain.split(' '));
  for (const [command = '', table = '', chain = ''] of added) {
    const rules = lines(await tryCommand(`${command}-save`, ['-t', table])).filter(
      (line) => line.startsWith('-A ') && line.includes(`-j ${chain}`),
    );
    for (const rule of rules) await tryCommand('sh', ['-c', `${command} -t ${table} -D ${rule.slice(3)}`]);
    await tryCommand(command, ['-t', table, '-F', chain]);
  }
  for (const [command = '', table = '', chain = ''] of added) await tryCommand(command, ['-t', table, '-X', chain]);
}

/** Removes tables of kube-proxy, and those that iptables created and that are empty again. */
async function removeTables(before: HostSnapshot): Promise<void> {
  for (const table of (await tables()).filter((name) => !before.tables.includes(name))) {
    const [, family = '', name = ''] = table.split(' ');
    const content = await tryCommand('nft', ['list', 'table', family, name]);
    const empty = lines(content).every((line) => !/^\s+(meta|ip|ip6|tcp|udp|counter|iifname|oifname|jump|xt|fib|ct|mark)\b/.test(line));
    if (name === 'kube-proxy' || empty) await tryCommand('nft', ['delete', 'table', family, name]);
  }
}

/** Removes links of the cluster, and with the Pods' bridge the host's ends of their links. */
export async function removeLinks(): Promise<void> {
  const ports = JSON.parse((await tryCommand('ip', ['-json', 'link', 'show', 'master', podBridge])) || '[]') as readonly {
    ifname?: string;
  }[];
  for (const { ifname } of ports) if (ifname !== undefined) await tryCommand('ip', ['link', 'delete', ifname]);
  for (const link of [podBridge, nodeBridge]) await tryCommand('ip', ['link', 'delete', link]);
}

const nodeFolders = (dir: string): readonly string[] =>
  listFolder(dir)
    .filter((name) => /^node\d+$/.test(name))
    .map((name) => join(dir, name));

/** Removes results that libcni stores, for the cluster's network and for the loopback of its sandboxes. */
function removeCniResults(dir: string, clusterName: string): void {
  const folder = '/var/lib/cni/results';
  const sandboxes = nodeFolders(dir).flatMap((node) => listFolder(join(node, 'containerd', 'io.containerd.grpc.v1.cri', 'sandboxes')));
  const isOurs = (file: string): boolean =>
    file.startsWith(`${cniNetwork(clusterName)}-`) || sandboxes.some((id) => file === `cni-loopback-${id}-lo`);
  for (const file of listFolder(folder)) if (isOurs(file)) rmSync(join(folder, file), { force: true });
}

/** Removes the kubelet's links to log files of this cluster. */
function removeLogLinks(dir: string): void {
  const folder = '/var/log/containers';
  for (const file of listFolder(folder)) {
    const path = join(folder, file);
    if (lstatSync(path).isSymbolicLink() && readlinkSync(path).startsWith(`${dir}/`)) rmSync(path, { force: true });
  }
}

/** Removes sockets of containerd's shims, whose addresses are beside their containers. Call it before the mounts are removed. */
function removeShimSockets(dir: string): void {
  for (const node of nodeFolders(dir)) {
    const tasks = join(node, 'run', 'io.containerd.runtime.v2.task', 'k8s.io');
    for (const task of listFolder(tasks)) {
      const address = readText(join(tasks, task, 'address')).replace(/^unix:\/\//, '');
      if (address.startsWith('/run/containerd/s/')) rmSync(address, { force: true });
    }
  }
}

function cgroupFolders(clusterName: string): readonly string[] {
  const root = '/sys/fs/cgroup';
  const parents = existsSync(join(root, 'cgroup.controllers')) ? [root] : listFolder(root).map((name) => join(root, name));
  return parents.flatMap((parent) =>
    listFolder(parent)
      .filter((name) => name.startsWith(cgroupPrefix(clusterName)))
      .map((name) => join(parent, name)),
  );
}

/** Returns a cgroup with all below it, deepest first. */
function withDescendants(folder: string): readonly string[] {
  const below = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()) : [];
  return [...below.flatMap((entry) => withDescendants(join(folder, entry.name))), folder];
}

/** Ends every process in the cluster's cgroups: the containers. */
export async function endContainers(clusterName: string): Promise<void> {
  const folders = cgroupFolders(clusterName).flatMap(withDescendants);
  const pids = new Set(folders.flatMap((folder) => lines(readText(join(folder, 'cgroup.procs')))));
  await Promise.all([...pids].flatMap((pid) => identify(Number(pid)) ?? []).map((container) => endProcess(container, 0)));
}

/** Removes cgroups. A cgroup may be busy for a moment after its last process. */
async function removeCgroups(clusterName: string): Promise<void> {
  for (const folder of cgroupFolders(clusterName).flatMap(withDescendants)) {
    for (let attempt = 0; existsSync(folder) && attempt < 50; attempt += 1) {
      try {
        rmdirSync(folder);
      } catch {
        await sleep(50);
      }
    }
  }
}

async function unmountBelow(dir: string): Promise<void> {
  for (const target of parseMounts(readText('/proc/mounts'), dir)) await tryCommand('umount', ['-l', target]);
}

function removeSharedFolders(before: HostSnapshot): void {
  for (const folder of ownedFolders) {
    for (const entry of listFolder(folder))
      if (!(before.folders[folder] ?? []).includes(entry)) rmSync(join(folder, entry), { recursive: true, force: true });
  }
  for (const folder of sharedFolders.filter((path) => before.folders[path] === undefined && existsSync(path))) removeIfHollow(folder);
}

/** Removes a folder that contains only empty folders. */
function removeIfHollow(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) if (entry.isDirectory()) removeIfHollow(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

function restoreSysctls(before: HostSnapshot): void {
  for (const [path, value] of Object.entries(before.sysctls)) if (readText(path).trim() !== value) writeFileSync(path, value);
}

/** Removes everything that real nodes have left outside their processes. Nothing of the cluster may run any more. Idempotent. */
export async function cleanHost(dir: string, clusterName: string, before: HostSnapshot): Promise<void> {
  removeShimSockets(dir);
  await unmountBelow(dir);
  removeCniResults(dir, clusterName);
  removeLogLinks(dir);
  await removeLinks();
  await removeChains(before);
  await removeTables(before);
  await removeCgroups(clusterName);
  removeSharedFolders(before);
  restoreSysctls(before);
}

/** Creates the bridge with the nodes' addresses, marked with the cluster's folder. */
export async function createNodeBridge(dir: string, addresses: readonly string[]): Promise<void> {
  await runCommand('ip', ['link', 'add', nodeBridge, 'type', 'bridge']);
  await runCommand('ip', ['link', 'set', nodeBridge, 'alias', dir]);
  await runCommand('ip', ['link', 'set', nodeBridge, 'up']);
  for (const address of addresses) await runCommand('ip', ['address', 'add', `${address}/32`, 'dev', nodeBridge]);
}

/** Returns the folder of the cluster whose real nodes are on this machine, undefined when there is none. */
export async function ownerOfNodeBridge(): Promise<string | undefined> {
  const found = JSON.parse((await tryCommand('ip', ['-json', 'link', 'show', nodeBridge])) || '[]') as readonly { ifalias?: string }[];
  return found.length === 0 ? undefined : (found[0]?.ifalias ?? '');
}

function cpusetFrom(parent: string, folder: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    if (existsSync(join(parent, file)) && readText(join(folder, file)).trim() === '')
      writeFileSync(join(folder, file), readText(join(parent, file)).trim());
  }
}

/** Creates a node's root cgroup under every controller (version 1), or with every controller (version 2). */
export async function createCgroup(name: string): Promise<void> {
  const root = '/sys/fs/cgroup';
  const unified = existsSync(join(root, 'cgroup.controllers'));
  const controllers = readText(join(root, 'cgroup.controllers')).trim().split(' ').filter(Boolean);
  if (unified) await tryCommand('sh', ['-c', `echo ${controllers.map((name) => `+${name}`).join(' ')} > ${root}/cgroup.subtree_control`]);
  const parents = unified
    ? [root]
    : listFolder(root)
        .map((entry) => join(root, entry))
        .filter((path) => lstatSync(path).isDirectory() && existsSync(join(path, 'cgroup.procs')));
  for (const parent of parents) {
    await runCommand('mkdir', ['-p', join(parent, name)]);
    if (!unified) cpusetFrom(parent, join(parent, name));
  }
}

/**
 * Returns what a stopped cluster has left on the machine, one line each; empty when all is clean.
 *
 * @param before undefined for a cluster without real nodes, which only has processes
 */
export async function findLeftovers(dir: string, clusterName: string, before: HostSnapshot | undefined): Promise<readonly string[]> {
  const processes = processesMarked(clusterFolderVariable, dir).map(
    ({ pid }) => `process ${pid} ${readText(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 100)}`,
  );
  if (before === undefined) return processes;
  const links = JSON.parse((await tryCommand('ip', ['-json', 'link', 'show'])) || '[]') as readonly { ifname: string }[];
  return [
    ...processes,
    ...parseMounts(readText('/proc/mounts'), dir).map((target) => `mount ${target}`),
    ...links.filter(({ ifname }) => ifname === nodeBridge || ifname === podBridge).map(({ ifname }) => `network link ${ifname}`),
    ...cgroupFolders(clusterName).map((folder) => `cgroup ${folder}`),
    ...(await tables()).filter((table) => !before.tables.includes(table) && table.endsWith(' kube-proxy')),
    ...(await chains()).filter((chain) => !before.chains.includes(chain)).map((chain) => `chain: ${chain}`),
    ...ownedFolders.flatMap((folder) =>
      listFolder(folder)
        .filter((entry) => !(before.folders[folder] ?? []).includes(entry))
        .map((entry) => join(folder, entry)),
    ),
  ];
}
