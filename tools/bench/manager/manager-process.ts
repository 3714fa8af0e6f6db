/** The manager as it is shipped: its bundle, with V8's flags and the environment of deploy/launcher, as a process outside of the cluster. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apps } from '../../build/apps.ts';
import { bundle } from '../../build/bundle.ts';
import { shippedEnvironment, shippedFlags } from '@kruise/testing';
import { parseMetrics, type Metrics } from './metrics.ts';

const root = join(import.meta.dirname, '../../..');
const startTimeoutMs = 60_000;

/** Builds the manager into `folder`, where later builds do not touch it. @returns its main file */
export async function buildManager(folder: string): Promise<string> {
  const app = apps.find(({ name }) => name === 'manager');
  if (app === undefined) throw new Error('there is no app named manager');
  const built = await bundle(app, root, folder);
  return join(built.folder, 'main.mjs');
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface ManagerSetup {
  readonly program: string;
  readonly kubeconfig: string;
  /** For logs and certificates; those of an earlier start are used again. */
  readonly folder: string;
  readonly profileFolder?: string;
  /** Further ones. */
  readonly flags?: readonly string[];
}

/** Of loopback. */
export interface ManagerPorts {
  readonly metrics: number;
  readonly health: number;
  readonly profiles: number;
  readonly webhook: number;
}

const certificatesOf = ({ folder }: ManagerSetup): string => join(folder, 'certificates');

/** Arguments of Node and environment for a manager that the API server reaches on loopback. */
export function managerCommand(
  setup: ManagerSetup,
  ports: ManagerPorts,
): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const { program, kubeconfig, folder, profileFolder, flags = [] } = setup;
  const profiling = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const args = [
    ...shippedFlags('manager'),
    ...profiling,
    program,
    `--kubeconfig=${kubeconfig}`,
    `--metrics-addr=127.0.0.1:${ports.metrics}`,
    `--health-probe-addr=127.0.0.1:${ports.health}`,
    `--pprof-addr=127.0.0.1:${ports.profiles}`,
    `--protection-log-path=${folder}`,
    ...flags,
  ];
  const webhooks = { WEBHOOK_HOST: '127.0.0.1', WEBHOOK_PORT: String(ports.webhook), WEBHOOK_CERT_DIR: certificatesOf(setup) };
  return { args, env: { ...shippedEnvironment(), ...webhooks } };
}

export class ManagerProcess implements AsyncDisposable {
  readonly ports: ManagerPorts;
  readonly #setup: ManagerSetup;
  readonly #child: ChildProcess;
  readonly #startedAt = performance.now();

  private constructor(setup: ManagerSetup, ports: ManagerPorts) {
    this.#setup = setup;
    this.ports = ports;
    mkdirSync(setup.folder, { recursive: true });
    const { args, env } = managerCommand(setup, ports);
    const log = openSync(this.#logPath, 'a');
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env } });
  }

  static async start(setup: ManagerSetup): Promise<ManagerProcess> {
    const [metrics, health, profiles, webhook] = [await freePort(), await freePort(), await freePort(), await freePort()];
    return new ManagerProcess(setup, { metrics, health, profiles, webhook });
  }

  get pid(): number {
    if (this.#child.pid === undefined || this.#child.exitCode !== null) throw this.#failure('the manager has ended');
    return this.#child.pid;
  }

  get #logPath(): string {
    return join(this.#setup.folder, 'manager.log');
  }

  /** For error messages: the folder does not outlive the run. */
  logTail(): string {
    return readFileSync(this.#logPath, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  }

  #failure(what: string): Error {
    return new Error(`${what}; its log ends with:\n${this.logTail()}`);
  }

  get certificates(): string {
    return certificatesOf(this.#setup);
  }

  get certificateAuthority(): string {
    return readFileSync(join(this.certificates, 'ca-cert.pem'), 'utf8');
  }

  /** @returns seconds from the start of the process to its first `ready` */
  async waitUntilReady(): Promise<number> {
    for (;;) {
      const seconds = (performance.now() - this.#startedAt) / 1000;
      if (this.pid > 0 && (await isOk(`http://127.0.0.1:${this.ports.health}/readyz`))) return (performance.now() - this.#startedAt) / 1000;
      if (seconds * 1000 > startTimeoutMs) throw this.#failure(`the manager is not ready after ${Math.round(seconds)} s`);
      await sleep(5);
    }
  }

  /** Until it leads and its caches are filled, which its controllers show by being there. */
  async waitUntilLeading(): Promise<void> {
    const deadline = performance.now() + startTimeoutMs;
    while ((await this.metrics()).sum('kruise_manager_is_leader') !== 1) {
      if (performance.now() > deadline) throw this.#failure('the manager does not lead');
      await sleep(50);
    }
  }

  async metrics(): Promise<Metrics> {
    const response = await fetch(`http://127.0.0.1:${this.ports.metrics}/metrics`);
    return parseMetrics(await response.text());
  }

  /** The longest of the next `seconds` in the main thread, in milliseconds: delay of its event loop, and own work (CPU) between two turns. */
  async longestDelay(seconds: number): Promise<{ readonly delayMs: number; readonly workMs: number }> {
    const response = await fetch(`http://127.0.0.1:${this.ports.profiles}/debug/pprof/eventloop?seconds=${seconds}`);
    const { delayMs, workMs } = (await response.json()) as {
      readonly delayMs: { readonly max: number };
      readonly workMs: { readonly max: number };
    };
    return { delayMs: delayMs.max, workMs: workMs.max };
  }

  /** Of the main thread, after a garbage collection. */
  async heapMiB(): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.ports.profiles}/debug/pprof/memory?gc=1`);
    const { heapUsed } = (await response.json()) as { readonly heapUsed: number };
    return heapUsed / 2 ** 20;
  }

  /** SIGTERM, so that it gives up its lease and writes its profiles; SIGKILL after 15 s. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.kill('SIGTERM');
    const forced = setTimeout(() => this.#child.kill('SIGKILL'), 15_000);
    await ended;
    clearTimeout(forced);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Whether a GET is answered with success. */
export async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
