/** The manager as a process. Webhooks are reached by URL on loopback: the API server of a bare control plane knows no Services. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePorts, type ProcessOverrides, ProgramProcess, sharedFolder } from '@kruise/testing';

export interface ManagerSettings extends ProcessOverrides {
  readonly kubeconfigPath: string;
  /** For certificates and logs; kept from one start to the next. */
  readonly dir: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Ports on loopback. */
export type ManagerPorts = Readonly<Record<'webhook' | 'health' | 'metrics' | 'profiles', number>>;

export type Probe = 'Ready' | 'NotReady' | 'Silent';

const probeTimeoutMs = 5_000;

export async function freeManagerPorts(): Promise<ManagerPorts> {
  const [webhook = 0, health = 0, metrics = 0, profiles = 0] = await findFreePorts(4);
  return { webhook, health, metrics, profiles };
}

export class ManagerProcess extends ProgramProcess {
  readonly ports: ManagerPorts;
  /** Folder of the webhook's key and certificate. */
  readonly certificates: string;

  constructor({ kubeconfigPath, dir, flags = [], env = {}, ...overrides }: ManagerSettings, ports: ManagerPorts) {
    const servers = { probes: `127.0.0.1:${ports.health}`, metrics: `127.0.0.1:${ports.metrics}` };
    const certificates = join(dir, 'certs');
    const args = [
      `--kubeconfig=${kubeconfigPath}`,
      `--health-probe-addr=${servers.probes}`,
      `--metrics-addr=${servers.metrics}`,
      '--enable-pprof=false',
      `--pprof-addr=127.0.0.1:${ports.profiles}`,
      `--protection-log-path=${dir}`,
      // On a busy machine a start may take longer than the default of a minute. A kubelet restarts a manager that ends; tests do not.
      '--webhook-initialize-timeout=10m',
      ...flags,
    ];
    const own = {
      WEBHOOK_HOST: '127.0.0.1',
      WEBHOOK_PORT: String(ports.webhook),
      WEBHOOK_CERT_DIR: certificates,
      // Sources only: halves what a second start costs. Processes that end by themselves write it.
      ...(sharedFolder === undefined && overrides.file === undefined ? { NODE_COMPILE_CACHE: join(dir, 'modules') } : {}),
      ...env,
    };
    mkdirSync(dir, { recursive: true });
    super({ ...overrides, app: 'manager', args, env: own, servers });
    this.ports = ports;
    this.certificates = certificates;
  }

  static async create(settings: ManagerSettings): Promise<ManagerProcess> {
    return new ManagerProcess(settings, await freeManagerPorts());
  }

  /** Requests readiness as a node does. */
  async probe(timeoutMs = probeTimeoutMs): Promise<Probe> {
    const [status] = await this.ask('/readyz', { timeoutMs });
    if (status === 'Silent') return status;
    return status === 200 ? 'Ready' : 'NotReady';
  }
}
