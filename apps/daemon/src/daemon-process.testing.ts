/** The whole program as a process of its own, on an API server that serves our kinds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { allKinds, customResourceDefinition } from '@kruise/api';
import { discoverGroupVersion, type Client } from '@kruise/kube';
import { customResourceDefinitions } from '@kruise/objects';
import { findFreePorts, type ProcessOverrides, ProgramProcess } from '@kruise/testing';
import { node } from './testing.ts';

/** A wait ends as soon as its condition holds, so only a fault takes this long, however slow the machine is. */
const longestWaitMs = 120_000;

/** Returns a port that only this process gets. */
export async function freePort(): Promise<number> {
  const [port = 0] = await findFreePorts(1);
  return port;
}

export interface DaemonSetup extends ProcessOverrides {
  /** host:port of /healthz and /metrics. */
  readonly address: string;
  /** The run directory of the host. */
  readonly root: string;
  readonly kubeconfig: string;
  /** Only NODE_NAME when absent. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly flags?: readonly string[];
}

/** The agent, started by the constructor. */
export class DaemonProcess extends ProgramProcess {
  constructor({ address, root, kubeconfig, variables = { NODE_NAME: node }, flags = [], ...overrides }: DaemonSetup) {
    const args = ['--enable-pprof=false', `--addr=${address}`, `--host-run-dir=${root}`, `--kubeconfig=${kubeconfig}`, '--v=4', ...flags];
    super({ ...overrides, app: 'daemon', args, env: variables, servers: { probes: address, metrics: address } });
    this.startOnly();
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
