/**
 * The manager as a process of its own, with the command line that an operator would give, so that it can be killed at any moment. Webhooks are reached by URL on loopback: the API server of a bare control plane knows no Services.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts, keepLog, programFile, sharedFolder, shippedFlags } from '@kruise/testing';

export interface ManagerSettings {
  readonly kubeconfigPath: string;
  /** For certificates and logs; kept from one start to the next. */
  readonly dir: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const longestLog = 200_000;
/** A start ends as soon as the manager is ready, so only a fault takes this long, however slow the machine. */
const longestStartMs = 180_000;

export type Probe = 'Ready' | 'NotReady' | 'Silent';

export class ManagerProcess {
  /** Ends of the processes so far, oldest first; a process that runs is not among them. */
  readonly exits: string[] = [];
  readonly #settings: ManagerSettings;
  readonly #ports: { readonly webhook: number; readonly health: number; readonly metrics: number };
  #child: ChildProcess | undefined;
  #log = '';

  private constructor(settings: ManagerSettings, ports: readonly number[]) {
    const [webhook = 0, health = 0, metrics = 0] = ports;
    this.#settings = settings;
    this.#ports = { webhook, health, metrics };
    mkdirSync(settings.dir, { recursive: true });
    process.once('exit', () => this.#child?.kill('SIGKILL'));
  }

  static async create(settings: ManagerSettings): Promise<ManagerProcess> {
    return new ManagerProcess(settings, await findFreePorts(3));
  }

  /** @returns once it is ready. @throws with its log when it ends before or takes longer than `timeoutMs` */
  async start(timeoutMs = longestStartMs): Promise<void> {
    this.startOnly();
    const deadline = performance.now() + timeoutMs;
    while (!(await this.isReady())) {
      if (this.#child === undefined) throw new Error(`the manager has ended (${this.exits.at(-1)}); its log:\n${this.log}`);
      if (performance.now() > deadline) throw new Error(`the manager is not ready after ${timeoutMs} ms; its log:\n${this.log}`);
      await sleep(50);
    }
  }

  /** Starts it without waiting. */
  startOnly(): void {
    const { kubeconfigPath, dir, flags = [], env = {} } = this.#settings;
    const { webhook, health, metrics } = this.#ports;
    const args = [
      ...shippedFlags('manager'),
      programFile('manager'),
      `--kubeconfig=${kubeconfigPath}`,
      `--health-probe-addr=127.0.0.1:${health}`,
      `--metrics-addr=127.0.0.1:${metrics}`,
      '--enable-pprof=false',
      `--protection-log-path=${dir}`,
      // On a busy machine a start may take longer than the default of a minute. A kubelet restarts a manager that ends; tests do not.
      '--webhook-initialize-timeout=10m',
      ...flags,
    ];
    const own = {
      WEBHOOK_HOST: '127.0.0.1',
      WEBHOOK_PORT: String(webhook),
      WEBHOOK_CERT_DIR: join(dir, 'certs'),
      // Sources only: halves what a second start costs. Processes that end by themselves write it.
      ...(sharedFolder === undefined ? { NODE_COMPILE_CACHE: join(dir, 'modules') } : {}),
      ...env,
    };
    const child = spawn(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: '', ...own }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#log = (this.#log + text).slice(-longestLog);
        keepLog('manager.log', text);
      });
    child.once('exit', (code, signal) => {
      this.exits.push(signal ?? `code ${code}`);
      if (this.#child === child) this.#child = undefined;
    });
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  get ports(): { readonly webhook: number; readonly health: number; readonly metrics: number } {
    return this.#ports;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The end of what it has written, of all its processes. */
  get log(): string {
    return this.#log;
  }

  /** @returns after the process has ended */
  async signal(name: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(name);
    await exited;
  }

  async isReady(): Promise<boolean> {
    return (await this.probe()) === 'Ready';
  }

  /** Requests readiness as a node does. `Silent`: no answer came in time. */
  async probe(timeoutMs = 5_000): Promise<Probe> {
    const answer = await this.#get(this.#ports.health, '/readyz', timeoutMs);
    if (answer === 'Silent') return answer;
    return answer?.status === 200 ? 'Ready' : 'NotReady';
  }

  /** `/metrics` as text, '' when it does not answer. */
  async metrics(): Promise<string> {
    const answer = await this.#get(this.#ports.metrics, '/metrics', 30_000);
    return answer === 'Silent' ? '' : (answer?.text ?? '');
  }

  async #get(
    port: number,
    path: string,
    timeoutMs: number,
  ): Promise<{ readonly status: number; readonly text: string } | 'Silent' | undefined> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal });
      return { status: answer.status, text: await answer.text() };
    } catch {
      return signal.aborted ? 'Silent' : undefined; // not listening (yet, any more)
    }
  }
}
