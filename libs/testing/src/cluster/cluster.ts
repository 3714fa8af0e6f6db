/**
 * A cluster that continues after the program that started it: a control plane, alone or with real nodes (kubelet + containerd each) and a registry,
 * and simulated nodes. Everything it writes is in one folder; `stopCluster` needs only that folder.
 *
 *   (absent) --startCluster--> starting --> running --stopCluster--> (absent)
 *                                 `--crash, Ctrl-C--> leftovers --startCluster or stopCluster--> (as from absent)
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, readdirSync, rmSync, rmdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from './api-client.ts';
import { type BinaryName, cacheFolder, ensureBinaries } from './binaries/index.ts';
import { type ComponentRecord, ComponentSet } from './component-set.ts';
import { type ControlPlane, binariesOf, startControlPlane } from './control-plane.ts';
import { findFreePorts, isPortFree } from './host/free-port.ts';
import { NoRealNodes, ensureHostCommands, findCommand } from './host/host-commands.ts';
import {
  type HostSnapshot,
  cleanHost,
  createCgroup,
  createNodeBridge,
  endContainers,
  findLeftovers,
  ownerOfNodeBridge,
  removeLinks,
  snapshotHost,
} from './host/host-state.ts';
import { ImageRegistry } from './image-registry.ts';
import { parseKubeconfig } from './credentials/kubeconfig.ts';
import {
  type NodeLayout,
  apiAddress,
  cgroupOf,
  cniConfig,
  containerd,
  containerdConfig,
  containerdSocket,
  defaultStorageClass,
  kubeProxy,
  kubelet,
  kubeletConfig,
  mirrorConfig,
  mirroredRegistries,
  nodeAddress,
  nodeFolder,
  nodeName,
  nodesReadClaims,
  registryConfig,
} from './node-components.ts';
import { issueFiles, writeKubeconfig } from './credentials/pki.ts';
import { isRunning } from './host/process-identity.ts';
import { withProcessLock } from './host/process-lock.ts';
import { type Progress, silent } from './progress.ts';
import { pushSampleImages } from './sample-images.ts';
import { type SimulationOptions } from './simulated-nodes.ts';

/** Which cluster is started, and of how many nodes. */
export interface ClusterOptions {
  /** Default `default`. */
  readonly name?: string;
  /** State folder; default `${XDG_STATE_HOME:-~/.local/state}/kruise/clusters/<name>`. */
  readonly dir?: string;
  /** Real nodes; default 3. With 0 there are no registry, kube-proxy and images, and no root is needed. */
  readonly nodes?: number;
  readonly simulatedNodes?: number;
  /** How long containers of simulated nodes take; by default they start and stop immediately. */
  readonly simulation?: Pick<SimulationOptions, 'startDelayMs' | 'stopDelayMs'>;
  /** kube-controller-manager and kube-scheduler; always present with real or simulated nodes. */
  readonly controllers?: boolean;
  readonly apiServerFlags?: readonly string[];
  readonly progress?: Progress;
}

/** What is known about a running cluster. */
export interface Cluster {
  readonly name: string;
  readonly dir: string;
  readonly nodes: number;
  readonly simulatedNodes: number;
  readonly controllers: boolean;
  readonly server: string;
  readonly kubeconfigPath: string;
  /** Address to push to and to name images by, e.g. `127.0.0.1:5000`; undefined without real nodes. */
  readonly registry?: string;
  readonly kubectl: string;
  readonly helm: string;
}

/** What real nodes run besides the commands of the machine. */
const nodeBinaries = ['kubelet', 'kube-proxy'] as const;
const namePattern = /^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$/;
/** Sockets below the folder must not be longer than 107 bytes. */
const longestFolder = 64;
const defaultRegistryPort = 5000;

/** Resolves name and folder of a cluster. @throws when they cannot be used */
export function clusterFolder(
  options: Pick<ClusterOptions, 'name' | 'dir'>,
  env: Readonly<Record<string, string | undefined>> = process.env,
): { readonly name: string; readonly dir: string } {
  const name = options.name ?? 'default';
  if (!namePattern.test(name))
    throw new Error(`cluster name ${JSON.stringify(name)}: must be 1 to 20 lower-case letters, digits and inner dashes`);
  const state = env.XDG_STATE_HOME ?? join(env.HOME ?? homedir(), '.local', 'state');
  const dir = resolve(options.dir ?? join(state, 'kruise', 'clusters', name));
  if (dir.length > longestFolder)
    throw new Error(
      `the state folder ${dir} is too long for the paths of sockets in it (${dir.length} of ${longestFolder} characters): choose another with --dir`,
    );
  return { name, dir };
}

const statePath = (dir: string): string => join(dir, 'cluster.json');
/** The name, stored from the beginning: cgroups and the Pods' network are named after it. */
const namePath = (dir: string): string => join(dir, 'name.json');
const snapshotPath = (dir: string): string => join(dir, 'host-before.json');

const readJson = <T>(path: string): T | undefined => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : undefined);

function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, undefined, 2)}\n`);
  renameSync(`${path}.new`, path);
}

/** Returns the cluster in that folder when it was started completely, whether its processes still run or not. */
export const readCluster = (dir: string): Cluster | undefined => readJson<Cluster>(statePath(dir));

/** Returns its processes, running or not. */
export const clusterComponents = (dir: string): readonly (ComponentRecord & { readonly running: boolean })[] =>
  existsSync(join(dir, 'pid')) ? new ComponentSet(dir).records().map((record) => ({ ...record, running: isRunning(record) })) : [];

/** Returns a client for the administrator of a running cluster. */
export const clusterApi = (cluster: Pick<Cluster, 'kubeconfigPath'>): ApiClient =>
  new ApiClient(parseKubeconfig(readFileSync(cluster.kubeconfigPath, 'utf8')));

/** Returns whether the cluster was started completely and every process runs. */
export function isClusterRunning(dir: string): boolean {
  const components = clusterComponents(dir);
  return readCluster(dir) !== undefined && components.length > 0 && components.every((component) => component.running);
}

/** In the cache, because a lock's file is not removed. */
const lockPath = (dir: string): string =>
  join(cacheFolder(), 'locks', `${createHash('sha256').update(dir).digest('hex').slice(0, 16)}.lock`);

function locked<T>(dir: string, progress: Progress, work: () => Promise<T>): Promise<T> {
  return withProcessLock(lockPath(dir), () => progress.note(`another program works on ${dir}: waiting for it…`), work);
}

/**
 * Starts a cluster, or finds it running. Leftovers of one that crashed are removed first. Missing binaries are built, and with real nodes missing
 * Debian packages are installed where that is allowed.
 *
 * @returns the cluster, and whether it ran already
 * @throws {NoRealNodes} before anything is started, when real nodes are requested and this machine cannot run them
 */
export async function startCluster(options: ClusterOptions = {}): Promise<{ readonly cluster: Cluster; readonly alreadyRunning: boolean }> {
  const { name, dir } = clusterFolder(options);
  const progress = options.progress ?? silent;
  return locked(dir, progress, async () => {
    const found = readCluster(dir);
    if (found !== undefined && isClusterRunning(dir)) return { cluster: found, alreadyRunning: true };
    if (existsSync(dir)) await progress.step('removed what an earlier start had left', () => remove(dir, name));
    return { cluster: await start(name, dir, { ...options, progress }), alreadyRunning: false };
  });
}

async function start(name: string, dir: string, options: ClusterOptions & { progress: Progress }): Promise<Cluster> {
  const { nodes = 3, simulatedNodes = 0, progress } = options;
  const controllers = (options.controllers ?? false) || nodes + simulatedNodes > 0;
  // All together: one build compiles shared packages once. Debian's packages are installed meanwhile.
  const names: readonly BinaryName[] = ['kubectl', 'helm', ...binariesOf(controllers), ...(nodes > 0 ? nodeBinaries : [])];
  const [binaries] = await Promise.all([ensureBinaries(names, progress), nodes > 0 ? ensureHostCommands(progress) : undefined]);
  if (nodes > 0) await prepareHost(name, dir, nodes);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const plane = await startControlPlane({
    dir,
    controllers,
    progress,
    lifetime: 'detached',
    ...(options.apiServerFlags === undefined ? {} : { apiServerFlags: options.apiServerFlags }),
    ...(nodes > 0 ? { address: apiAddress } : {}),
  });
  const registry = nodes > 0 ? await startRealNodes({ name, plane, nodes, binaries, progress }) : undefined;
  if (simulatedNodes > 0)
    await progress.step(`${simulatedNodes} simulated nodes are registered`, () =>
      plane.simulateNodes(simulatedNodes, { ...options.simulation, taint: nodes > 0 }),
    );
  const known = { name, dir, nodes, simulatedNodes, controllers, server: plane.server, kubeconfigPath: plane.kubeconfigPath };
  const cluster: Cluster = { ...known, ...(registry === undefined ? {} : { registry }), kubectl: binaries.kubectl, helm: binaries.helm };
  plane.api.close();
  writeJson(statePath(dir), cluster);
  return cluster;
}

async function prepareHost(name: string, dir: string, nodes: number): Promise<void> {
  const owner = await ownerOfNodeBridge();
  if (owner !== undefined && owner !== dir && existsSync(owner)) {
    throw new NoRealNodes(
      `this machine has real nodes already, of the cluster in ${owner}; only one cluster at a time may have them. Stop it with: npm run cluster -- down --dir ${owner}`,
    );
  }
  if (owner !== undefined) await removeLinks();
  const snapshot = await snapshotHost();
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  writeJson(namePath(dir), name);
  writeJson(snapshotPath(dir), snapshot);
  await createNodeBridge(dir, [apiAddress, ...Array.from({ length: nodes }, (_, index) => nodeAddress(index + 1))]);
}

interface RealNodes {
  readonly name: string;
  readonly plane: ControlPlane;
  readonly nodes: number;
  readonly binaries: Readonly<Record<(typeof nodeBinaries)[number], string>>;
  readonly progress: Progress;
}

function hostCommand(name: string): string {
  const path = findCommand(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  return path;
}

async function startRealNodes(real: RealNodes): Promise<string> {
  const { name, plane, nodes, binaries, progress } = real;
  const [metrics = 0, health = 0, ...kubeletPorts] = await findFreePorts(nodes + 2);
  const registry = await startRegistry(plane.components, plane.dir, progress);
  writeKubeconfig(plane.pki, join(plane.dir, 'kube-proxy.kubeconfig'), { commonName: 'system:kube-proxy' });
  await plane.components.start(kubeProxy(plane.dir, binaries['kube-proxy'], { metrics, health }));
  const layouts = kubeletPorts.map((kubeletPort, index): NodeLayout => ({
    dir: plane.dir,
    clusterName: name,
    number: index + 1,
    kubeletPort,
    registry,
  }));
  const images = progress.step('sample images are in the registry', () =>
    pushSampleImages(new ImageRegistry(registry), {
      busybox: hostCommand('busybox'),
      catatonit: hostCommand('catatonit'),
    }),
  );
  await Promise.all([images, ...layouts.map((node) => startNode(plane, node, binaries.kubelet))]);
  await plane.api.request('/apis/storage.k8s.io/v1/storageclasses', { method: 'POST', body: defaultStorageClass });
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await plane.api.request(`${rbac}/clusterroles`, { method: 'POST', body: nodesReadClaims.role });
  await plane.api.request(`${rbac}/clusterrolebindings`, { method: 'POST', body: nodesReadClaims.binding });
  await progress.step(`${nodes} nodes are ready`, () => waitForNodes(plane, nodes));
  return registry;
}

async function startRegistry(components: ComponentSet, dir: string, progress: Progress): Promise<string> {
  const port = (await isPortFree(defaultRegistryPort, '127.0.0.1')) ? defaultRegistryPort : (await findFreePorts(1))[0];
  const address = `127.0.0.1:${port}`;
  writeFileSync(join(dir, 'registry.json'), registryConfig(dir, address));
  await components.start({ name: 'registry', command: hostCommand('docker-registry'), args: ['serve', join(dir, 'registry.json')] });
  await progress.step(`the registry listens on ${address}`, () =>
    waitUntil(() => answers(`http://${address}/v2/`), `the registry at ${address}`),
  );
  return address;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function waitUntil(holds: () => boolean | Promise<boolean>, what: string, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what}: not there after ${timeoutMs / 1000} s`);
    await sleep(50);
  }
}

function writeNodeFiles(plane: ControlPlane, node: NodeLayout): void {
  const folder = nodeFolder(node);
  for (const part of ['cni', 'tmp', 'pods', ...mirroredRegistries(node.registry).map((name) => join('certs.d', name))])
    mkdirSync(join(folder, part), { recursive: true });
  for (const mirrored of mirroredRegistries(node.registry))
    writeFileSync(join(folder, 'certs.d', mirrored, 'hosts.toml'), mirrorConfig(node.registry));
  writeFileSync(join(folder, 'cni', '10-kruise.conflist'), cniConfig(node));
  writeFileSync(join(folder, 'containerd.toml'), containerdConfig(node));
  writeFileSync(join(folder, 'kubelet.json'), kubeletConfig(node));
  const user = { commonName: `system:node:${nodeName(node.number)}`, organizations: ['system:nodes'] };
  issueFiles(plane.pki, nodeName(node.number), { ...user, ipAddresses: [nodeAddress(node.number)], dnsNames: [nodeName(node.number)] });
  writeKubeconfig(plane.pki, join(folder, 'kubelet.kubeconfig'), user);
}

async function startNode(plane: ControlPlane, node: NodeLayout, kubeletBinary: string): Promise<void> {
  writeNodeFiles(plane, node);
  await createCgroup(cgroupOf(node));
  await plane.components.start(containerd(node, hostCommand('containerd')));
  await waitUntil(() => existsSync(containerdSocket(node)), `containerd of ${nodeName(node.number)}`);
  await plane.components.start(kubelet(node, kubeletBinary));
}

interface NodeList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

/** Returns the names of all nodes and whether they are ready. */
export async function nodeStates(api: ApiClient): Promise<readonly { readonly name: string; readonly ready: boolean }[]> {
  const { items } = (await api.request('/api/v1/nodes')) as NodeList;
  return items.map((node) => ({
    name: node.metadata.name,
    ready: node.status.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false,
  }));
}

/** How often a kubelet that ends while its cluster starts is restarted. */
const mostKubeletStarts = 5;

/**
 * Waits for the nodes. All kubelets of the machine listen in one folder, which each empties before: when two start at the same moment, one may find
 * the address in use, and end. It is then restarted, as by an init system.
 */
async function waitForNodes(plane: ControlPlane, nodes: number): Promise<void> {
  let startsLeft = mostKubeletStarts;
  const ready = async (): Promise<boolean> => {
    for (const component of clusterComponents(plane.dir)) {
      if (!component.running && component.name.startsWith('kubelet-') && startsLeft > 0) {
        startsLeft--;
        await plane.components.restart(component.name);
      } else if (!component.running) throw plane.components.endOf(component.name);
    }
    return (await nodeStates(plane.api)).filter((node) => node.ready).length >= nodes;
  };
  await waitUntil(ready, `${nodes} ready nodes`, 120_000);
}

/**
 * Stops a cluster, complete or not, and removes its folder and everything it left on the machine. Does nothing when there is none.
 *
 * @returns whether there was anything
 */
export async function stopCluster(options: Pick<ClusterOptions, 'name' | 'dir' | 'progress'> = {}): Promise<boolean> {
  const { name, dir } = clusterFolder(options);
  const progress = options.progress ?? silent;
  // A start in progress has taken the lock, and may not have created the folder yet.
  if (!existsSync(dir) && !existsSync(lockPath(dir))) return false;
  return locked(dir, progress, async () => {
    if (!existsSync(dir)) return false;
    await remove(dir, name, progress);
    return true;
  });
}

/** Removes a cluster. Kubelets end first, so that they do not restart the containers that end next; containerd's shims follow their containers. */
async function remove(dir: string, givenName: string, progress: Progress = silent): Promise<void> {
  if (!['pid', 'cluster.json', 'host-before.json', 'log'].some((entry) => existsSync(join(dir, entry)))) {
    throw new Error(`${dir} is no cluster's state folder: nothing was removed`);
  }
  const name = readJson<string>(namePath(dir)) ?? givenName;
  const components = new ComponentSet(dir);
  const snapshot = readJson<HostSnapshot>(snapshotPath(dir));
  if (snapshot !== undefined) {
    const kubelets = components.records().filter((record) => record.name.startsWith('kubelet-'));
    await Promise.all(kubelets.map((record) => components.stop(record.name, 5_000)));
    await progress.step('containers have ended', () => endContainers(name));
  }
  await progress.step('every process has ended', () => components.stopAll(snapshot === undefined ? 0 : 3_000));
  if (snapshot !== undefined) await progress.step('mounts, links, cgroups and tables are removed', () => cleanHost(dir, name, snapshot));
  rmSync(dir, { recursive: true, force: true });
  removeEmptyParents(dir);
  const leftovers = await findLeftovers(dir, name, snapshot);
  if (leftovers.length > 0) throw new Error(`the cluster ${name} is stopped, but this is left of it:\n${leftovers.join('\n')}`);
}

/** Removes the parents of the default state folder when they are empty. */
function removeEmptyParents(dir: string): void {
  for (const parent of [dirname(dir), dirname(dirname(dir))]) {
    const isOurs = ['clusters', 'kruise'].includes(basename(parent));
    if (!isOurs || !existsSync(parent) || readdirSync(parent).length > 0) return;
    rmdirSync(parent);
  }
}
