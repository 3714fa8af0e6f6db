/** The daemon as it is shipped: its bundle, with V8's flags and the environment of deploy/launcher, in a cgroup with the limits of its container where that can be made. */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { apps } from '../../build/apps.ts';
import { bundle } from '../../build/bundle.ts';
import { parseMetrics, type Metrics } from '../manager/metrics.ts';
import { shippedEnvironment, shippedFlags } from '@kruise/testing';
import { Cgroup, type Limits } from './cgroup.ts';

const root = join(import.meta.dirname, '../../..');
const startTimeoutMs = 120_000;

export interface DaemonSetup {
  readonly kubeconfig: string;
  readonly nodeName: string;
  /** Contains the runtime's socket; the log is written there. */
  readonly folder: string;
  readonly limits: Limits;
  readonly flags?: readonly string[];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class DaemonProcess implements AsyncDisposable {
  readonly #setup: DaemonSetup;
  readonly #cgroup: Cgroup | undefined;
  readonly #address: string;
  readonly #child: ChildProcess;
  readonly #startedAt = performance.now();

  private constructor(setup: DaemonSetup, program: string, address: string) {
    this.#setup = setup;
    this.#address = address;
    const { kubeconfig, folder, nodeName, limits, flags = [] } = setup;
    this.#cgroup = Cgroup.allowed ? Cgroup.make(`kruise-bench-${process.pid}`, limits) : undefined;
    const heap = `--max-old-space-size=${Math.floor((limits.memoryMiB * 3) / 4)}`;
    const options = [
      `--kubeconfig=${kubeconfig}`,
      `--addr=${address}`,
      '--enable-pprof=false',
      `--host-run-dir=${folder}`,
      '--v=4',
      ...flags,
    ];
    const line = [...shippedFlags('kruise-daemon'), heap, program, ...options];
    const [command, args] = this.#cgroup?.command(process.execPath, line) ?? [process.execPath, line];
    const log = openSync(this.#logPath, 'a');
    this.#child = spawn(command, args, {
      stdio: ['ignore', log, log],
      env: { PATH: process.env['PATH'], HOME: '/', ...shippedEnvironment(), UV_THREADPOOL_SIZE: '1', NODE_NAME: nodeName },
    });
  }

  /** Builds the daemon and starts it. */
  static async start(setup: DaemonSetup): Promise<DaemonProcess> {
    const app = apps.find(({ name }) => name === 'daemon');
    if (app === undefined) throw new Error('there is no app named daemon');
    const built = await bundle(app, root);
    return new DaemonProcess(setup, join(built.folder, 'main.mjs'), `127.0.0.1:${await freePort()}`);
  }

  get pid(): number {
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) {
      const tail = readFileSync(this.#logPath, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
      throw new Error(`the daemon has ended${this.#cgroup?.outOfMemory === true ? ', out of memory' : ''}; its log ends with:\n${tail}`);
    }
    return this.#child.pid;
  }

  get #logPath(): string {
    return join(this.#setup.folder, 'daemon.log');
  }

  /** @returns seconds from the start of the process to its first success of `/readyz` */
  async waitUntilReady(): Promise<number> {
    for (;;) {
      const elapsedMs = performance.now() - this.#startedAt;
      if (this.pid > 0 && (await this.#isReady())) return (performance.now() - this.#startedAt) / 1000;
      if (elapsedMs > startTimeoutMs) throw new Error(`the daemon is not ready after ${Math.round(elapsedMs / 1000)} s`);
      await sleep(100);
    }
  }

  async metrics(): Promise<Metrics> {
    const response = await fetch(`http://${this.#address}/metrics`);
    return parseMetrics(await response.text());
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`http://${this.#address}/readyz`);
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
      this.#child.kill('SIGKILL');
      await ended;
    }
    await this.#cgroup?.[Symbol.asyncDispose]();
  }
}
