/**
 * etcd and kube-apiserver (and, on request, kube-controller-manager, kube-scheduler and simulated nodes) as processes of this machine: on loopback,
 * on free ports, without root, as many in parallel as needed.
 */
import { cpSync, mkdirSync, mkdtempSync, renameSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, ApiRequestError } from './api-client.ts';
import { type BinaryName, ensureBinaries } from './binaries/index.ts';
import { ComponentSet, type ComponentSpec } from './component-set.ts';
import {
  type ControlPlaneLayout,
  apiServer,
  controllerManager,
  etcd,
  kubernetesServiceIp,
  scheduler,
  serverUrl,
} from './control-plane-components.ts';
import { findFreePorts } from './host/free-port.ts';
import { parseKubeconfig } from './credentials/kubeconfig.ts';
import { type Pki, createPki, writeKubeconfig } from './credentials/pki.ts';
import { type ProcessIdentity, signalProcess } from './host/process-identity.ts';
import { type Progress, silent } from './progress.ts';
import { type SimulationOptions, simulatedKubelet } from './simulated-nodes.ts';
import { keepLogsOf } from '../test-logs/test-logs.ts';
import { startWatchdog } from './host/watchdog.ts';

/** The parts of a control plane and when it ends. */
export interface ControlPlaneOptions {
  /** kube-controller-manager and kube-scheduler as well; default false. Without them Pods need no service account. */
  readonly controllers?: boolean;
  /** Nodes of the simulated kubelet; default 0. */
  readonly simulatedNodes?: number;
  readonly simulation?: SimulationOptions;
  /** Added to the API server's command line, e.g. `--audit-log-path=…`. */
  readonly apiServerFlags?: readonly string[];
  /** Added to the command line of kube-controller-manager. */
  readonly controllerManagerFlags?: readonly string[];
  /** Folder of the state, emptied at the end; a temporary one by default. */
  readonly dir?: string;
  readonly progress?: Progress;
  /**
   * `process`: everything ends with this process, in whatever way, and the folder is removed too (the default).
   * `detached`: it continues until it is stopped.
   */
  readonly lifetime?: 'process' | 'detached';
  /** Called when the API server is ready, before controllers and nodes start. */
  readonly prepare?: (plane: ControlPlane) => Promise<void>;
  /** Folder that {@link ControlPlane.copyEtcd} wrote: the API server starts with its objects. */
  readonly etcdData?: string;
  /** The machine's address at which nodes reach the API server; loopback by default. */
  readonly address?: string;
}

const startAttempts = 3;
/** A plane is ready as soon as it answers, so only a fault takes this long, however slow the machine is. */
const readyTimeoutMs = 180_000;

/** A running control plane. `await using` stops it at the end of the block. */
export class ControlPlane implements AsyncDisposable {
  readonly dir: string;
  /** Kubeconfig of an administrator. */
  readonly kubeconfigPath: string;
  /** For example `https://127.0.0.1:17123`; stays the same through restarts. */
  readonly server: string;
  readonly etcdServer: string;
  readonly components: ComponentSet;
  /** Client of an administrator. */
  readonly api: ApiClient;
  readonly #pki: Pki;
  readonly #release: () => void;

  constructor(parts: { layout: ControlPlaneLayout; components: ComponentSet; pki: Pki; release: () => void }) {
    this.dir = parts.layout.dir;
    this.server = serverUrl(parts.layout);
    this.etcdServer = `http://127.0.0.1:${parts.layout.ports.etcd}`;
    this.components = parts.components;
    this.#pki = parts.pki;
    this.#release = parts.release;
    this.kubeconfigPath = writeKubeconfig(parts.pki, join(this.dir, 'admin.kubeconfig'), {
      commonName: 'admin',
      organizations: ['system:masters'],
    });
    this.api = new ApiClient(parseKubeconfig(readFileSync(this.kubeconfigPath, 'utf8')));
  }

  get pki(): Pki {
    return this.#pki;
  }

  /** Writes a kubeconfig for another user, e.g. one with few rights. @returns its path */
  kubeconfigFor(commonName: string, organizations: readonly string[] = []): string {
    return writeKubeconfig(this.#pki, join(this.dir, `${commonName.replaceAll(/[^a-z0-9-]/gi, '-')}.kubeconfig`), {
      commonName,
      organizations,
    });
  }

  /** Path of a component's log. */
  logPath(component: string): string {
    return this.components.logPath(component);
  }

  /** Sends SIGTERM, and SIGKILL after 3 s (open watches would delay it much longer), starts again on the same port, and waits until it is ready. */
  async restartApiServer(): Promise<void> {
    await this.components.restart('kube-apiserver', 3_000);
    await this.waitUntilReady();
  }

  /** Sends SIGKILL: connections break without notice. {@link startApiServer} starts it again. */
  async killApiServer(): Promise<void> {
    await this.components.kill('kube-apiserver');
  }

  async startApiServer(): Promise<void> {
    await this.components.restart('kube-apiserver', 0);
    await this.waitUntilReady();
  }

  /**
   * Sends SIGTERM, and SIGKILL after a second (it would wait long for open watches), and starts on the same data. The API server finds it again by
   * itself.
   */
  async restartEtcd(): Promise<void> {
    await this.components.restart('etcd', 1_000);
    await this.waitUntilReady();
  }

  async killEtcd(): Promise<void> {
    await this.components.kill('etcd');
  }

  async startEtcd(): Promise<void> {
    await this.components.restart('etcd', 0);
    await this.waitUntilReady();
  }

  /**
   * Copies the present data of etcd, for control planes that start with it. The folder appears under its name once it is complete.
   *
   * @remarks etcd is paused meanwhile, so the copy is what etcd finds after it was killed.
   */
  copyEtcd(to: string): void {
    const running = this.components.record('etcd');
    if (running === undefined) throw new Error('etcd has not been started');
    const temporary = mkdtempSync(`${to}-`);
    signalProcess(running, 'SIGSTOP');
    try {
      cpSync(join(this.dir, 'etcd'), temporary, { recursive: true });
    } finally {
      signalProcess(running, 'SIGCONT');
    }
    try {
      renameSync(temporary, to);
    } catch {
      rmSync(temporary, { recursive: true, force: true }); // another process was faster
    }
  }

  /** Waits until the API server is ready. @throws when it has ended or is not ready in time, with the end of its log */
  async waitUntilReady(timeoutMs = readyTimeoutMs): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await this.#answers('/readyz'))) {
      for (const name of ['etcd', 'kube-apiserver']) {
        if (!this.components.isAlive(name)) throw this.components.endOf(name);
      }
      if (performance.now() > deadline)
        throw new Error(`kube-apiserver is not ready after ${timeoutMs} ms; its log: ${this.logPath('kube-apiserver')}`);
      await sleep(30);
    }
  }

  /** Waits until a GET of `path` is answered with success. */
  async waitFor(path: string, timeoutMs = readyTimeoutMs): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await this.#answers(path))) {
      if (performance.now() > deadline) throw new Error(`${path} is not there after ${timeoutMs} ms`);
      await sleep(30);
    }
  }

  async #answers(path: string): Promise<boolean> {
    try {
      await this.api.request(path, { timeoutMs: 30_000 });
      return true;
    } catch (error) {
      if (error instanceof ApiRequestError && (error.status === 401 || error.status === 403)) throw error;
      return false;
    }
  }

  /** Adds nodes of the simulated kubelet, as one more process. Their names begin with `prefix`. */
  async simulateNodes(count: number, simulation: SimulationOptions = {}): Promise<void> {
    const spec = simulatedKubelet(this.kubeconfigPath, count, simulation);
    await this.components.start(spec);
    await this.waitFor(`/api/v1/nodes/${simulation.prefix ?? 'simulated'}-${count - 1}`);
  }

  /** Ends every process and removes the folder. May be called twice. */
  async stop(): Promise<void> {
    this.api.close();
    // Before the stop, which fills the end of a server's log.
    keepLogsOf(join(this.dir, 'log'));
    await this.components.stopAll(0);
    rmSync(this.dir, { recursive: true, force: true });
    this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

interface PlacedLayout extends ControlPlaneLayout {
  readonly etcdData?: string;
}

/** Returns the programs of a control plane, with or without controllers. */
export function binariesOf(controllers: boolean): readonly BinaryName[] {
  return ['etcd', 'kube-apiserver', ...(controllers ? (['kube-controller-manager', 'kube-scheduler'] as const) : [])];
}

async function startServers(layout: PlacedLayout, components: ComponentSet, release: () => void): Promise<ControlPlane> {
  const names = {
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ipAddresses: [...new Set([layout.address, '127.0.0.1', kubernetesServiceIp])],
  };
  const pki = createPki(layout.dir, serverUrl(layout), names);
  const plane = new ControlPlane({ layout, components, pki, release });
  if (layout.etcdData !== undefined) cpSync(layout.etcdData, join(layout.dir, 'etcd'), { recursive: true });
  await components.start(etcd(layout));
  await components.start(apiServer(layout));
  await plane.waitUntilReady();
  await plane.waitFor('/api/v1/namespaces/default');
  return plane;
}

async function startControllers(plane: ControlPlane, layout: ControlPlaneLayout): Promise<void> {
  const users: readonly [ComponentSpec, string][] = [
    [controllerManager(layout), 'system:kube-controller-manager'],
    [scheduler(layout), 'system:kube-scheduler'],
  ];
  for (const [spec, commonName] of users) {
    writeKubeconfig(plane.pki, join(layout.dir, `${spec.name}.kubeconfig`), { commonName });
    await plane.components.start(spec);
  }
  await plane.waitFor('/api/v1/namespaces/default/serviceaccounts/default');
}

const portTaken = (components: ComponentSet): boolean =>
  ['etcd', 'kube-apiserver'].some((name) => components.logTail(name, 40).includes('address already in use'));

/** Starts on free ports. Another process may take a free port before ours does: then other ports are tried. */
async function startOnFreePorts(
  layout: Omit<PlacedLayout, 'ports'>,
  components: ComponentSet,
  release: () => void,
): Promise<[ControlPlane, ControlPlaneLayout]> {
  for (let attempt = 1; ; attempt += 1) {
    const [etcdPort = 0, etcdPeer = 0, api = 0] = await findFreePorts(3);
    const placed = { ...layout, ports: { etcd: etcdPort, etcdPeer, api } };
    try {
      return [await startServers(placed, components, release), placed];
    } catch (error) {
      await components.stopAll(0);
      if (attempt === startAttempts || !portTaken(components)) throw error;
      for (const folder of ['etcd', 'log']) rmSync(join(layout.dir, folder), { recursive: true, force: true });
      mkdirSync(join(layout.dir, 'log'));
    }
  }
}

/**
 * Starts a control plane and resolves when it is ready. Missing binaries are built first.
 *
 * @throws with the end of the log of the failed component; nothing is left running then
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { progress = silent, controllers = false, lifetime = 'process', address = '127.0.0.1', simulatedNodes = 0 } = options;
  const binaries = await ensureBinaries(binariesOf(controllers), progress);
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'kruise-control-plane-'));
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const watchdog = lifetime === 'process' ? startWatchdog(dir) : undefined;
  const components = new ComponentSet(dir, (started: ProcessIdentity) => watchdog?.guard(started));
  const { apiServerFlags = [], controllerManagerFlags = [], etcdData } = options;
  const layout = {
    dir,
    binaries,
    address,
    controllers,
    apiServerFlags,
    controllerManagerFlags,
    ...(etcdData === undefined ? {} : { etcdData }),
  };
  try {
    const [plane, placed] = await progress.step('etcd and kube-apiserver are ready', () =>
      startOnFreePorts(layout, components, () => watchdog?.dismiss()),
    );
    await options.prepare?.(plane);
    if (controllers) await progress.step('kube-controller-manager and kube-scheduler run', () => startControllers(plane, placed));
    if (simulatedNodes > 0)
      await progress.step(`${simulatedNodes} simulated nodes are registered`, () =>
        plane.simulateNodes(simulatedNodes, options.simulation),
      );
    return plane;
  } catch (error) {
    await components.stopAll(0);
    if (lifetime === 'process') rmSync(dir, { recursive: true, force: true });
    watchdog?.dismiss();
    throw error;
  }
}

/** Runs `work` with a control plane that is stopped afterwards in any case. */
export async function withControlPlane<T>(work: (plane: ControlPlane) => Promise<T>, options: ControlPlaneOptions = {}): Promise<T> {
  const plane = await startControlPlane(options);
  try {
    return await work(plane);
  } finally {
    await plane.stop();
  }
}
