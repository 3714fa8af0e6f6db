/** The manager as it is shipped, outside of the cluster: the API server reaches its webhooks on loopback. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, findFreePorts, shippedEnvironment, shippedFlags } from '@kruise/testing';
import { Program } from '../program.ts';
import type { AdmissionTarget } from './admission-load.ts';

export interface ManagerSetup {
  /** Its main file. */
  readonly program: string;
  readonly kubeconfig: string;
  /** For logs and certificates; those of an earlier start are used again. */
  readonly folder: string;
  readonly profileFolder?: string | undefined;
  /** Further ones. */
  readonly flags?: readonly string[];
}

/** Of loopback. */
export type ManagerPorts = Readonly<Record<'metrics' | 'health' | 'profiles' | 'webhook', number>>;

const certificatesOf = ({ folder }: ManagerSetup): string => join(folder, 'certificates');

/** Arguments of Node and environment. */
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

export class ManagerProcess extends Program {
  readonly ports: ManagerPorts;
  /** Folder of the webhook's key and certificate. */
  readonly certificates: string;

  private constructor(setup: ManagerSetup, ports: ManagerPorts) {
    const { args, env } = managerCommand(setup, ports);
    const urls = { ready: `http://127.0.0.1:${ports.health}/readyz`, metrics: `http://127.0.0.1:${ports.metrics}/metrics` };
    super({ name: 'manager', folder: setup.folder, args, env: { ...process.env, ...env }, urls });
    this.ports = ports;
    this.certificates = certificatesOf(setup);
  }

  static async start(setup: ManagerSetup): Promise<ManagerProcess> {
    const [metrics = 0, health = 0, profiles = 0, webhook = 0] = await findFreePorts(4);
    return new ManagerProcess(setup, { metrics, health, profiles, webhook });
  }

  /** Whom reviews are sent to. */
  get webhook(): AdmissionTarget {
    return { port: this.ports.webhook, certificateAuthority: readFileSync(join(this.certificates, 'ca-cert.pem'), 'utf8') };
  }

  /** Until it leads and its caches are filled, which its controllers show by being there. */
  waitUntilLeading(): Promise<void> {
    return eventually(async () => (await this.metrics()).sum('kruise_manager_is_leader') === 1);
  }

  /** The longest of the next `seconds` in the main thread, in milliseconds: delay of its event loop, and own work (CPU) between two turns. */
  async longestDelay(seconds: number): Promise<{ readonly delayMs: number; readonly workMs: number }> {
    type Answer = Readonly<Record<'delayMs' | 'workMs', { readonly max: number }>>;
    const { delayMs, workMs } = await this.#debug<Answer>(`eventloop?seconds=${seconds}`);
    return { delayMs: delayMs.max, workMs: workMs.max };
  }

  /** Of the main thread, after a garbage collection. */
  async heapMiB(): Promise<number> {
    return (await this.#debug<{ readonly heapUsed: number }>('memory?gc=1')).heapUsed / 2 ** 20;
  }

  async #debug<T>(path: string): Promise<T> {
    return (await (await fetch(`http://127.0.0.1:${this.ports.profiles}/debug/pprof/${path}`)).json()) as T;
  }

  /** It gives up its lease and writes its profiles. */
  override stop(): Promise<void> {
    return super.stop('SIGTERM');
  }
}
