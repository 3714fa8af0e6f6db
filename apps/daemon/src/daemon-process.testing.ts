/** The whole program as a process of its own, on an API server that serves our kinds. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { allKinds, customResourceDefinition } from '@kruise/api';
import { discoverGroupVersion, type Client } from '@kruise/kube';
import { customResourceDefinitions } from '@kruise/objects';
import { findFreePorts, keepLog, programFile, shippedFlags } from '@kruise/testing';
import { node } from './testing.ts';

/** A wait ends as soon as its condition holds, so only a fault takes this long, however slow the machine is. */
const longestWaitMs = 120_000;

/** Returns a port that only this process gets. */
export async function freePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}

export interface DaemonSetup {
  /** host:port of /healthz and /metrics. */
  readonly address: string;
  /** The run directory of the host. */
  readonly root: string;
  readonly kubeconfig: string;
  /** Only NODE_NAME when absent. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

export class DaemonProcess {
  readonly #process: ChildProcess;
  readonly #address: string;
  readonly ended: Promise<number | null>;
  output = '';

  constructor({ address, root, kubeconfig, variables = { NODE_NAME: node }, flags = [] }: DaemonSetup) {
    this.#address = address;
    const argv = ['--enable-pprof=false', `--addr=${address}`, `--host-run-dir=${root}`, `--kubeconfig=${kubeconfig}`, '--v=4', ...flags];
    this.#process = spawn(process.execPath, [...shippedFlags('kruise-daemon', flags), programFile('daemon'), ...argv], {
      env: { PATH: process.env['PATH'], ...variables },
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
        keepLog('daemon.log', chunk.toString());
      });
    this.ended = once(this.#process, 'close').then(([code]) => code as number | null);
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.ended;
  }

  /** Returns status and body; 0 when there is no answer. */
  async ask(path: string): Promise<readonly [number, string]> {
    try {
      const response = await fetch(`http://${this.#address}${path}`);
      return [response.status, await response.text()];
    } catch {
      return [0, ''];
    }
  }
}

export async function until<T>(what: string, look: () => Promise<T | undefined>, withinMs = longestWaitMs): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(50);
  }
}

/** Installs the CRDs of the kinds that a daemon watches and resolves when they are served. */
export async function installKinds(client: Client): Promise<void> {
  const watched = allKinds.filter(({ kind }) => ['NodeImage', 'ContainerRecreateRequest', 'NodePodProbe'].includes(kind));
  for (const declaration of watched)
    await client.create(customResourceDefinitions, customResourceDefinition({ ...declaration, conversion: 'None' }));
  for (const { group, kind, versions } of watched) {
    const version = versions.at(-1)?.name ?? '';
    await until(`${kind} is served`, async () => {
      const served = await discoverGroupVersion(client, { group, version });
      return served?.some((one) => one.kind === kind) === true ? true : undefined;
    });
  }
}
