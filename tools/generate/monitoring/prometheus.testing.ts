/** A real Prometheus, which scrapes programs on the loopback each second. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBinaries, eventually, findFreePorts, keepLog, silent } from '@kruise/testing';

/** What is scraped as one target. */
export interface Target {
  /** As the monitors of the charts name it. */
  readonly job: string;
  readonly port: number;
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly Sample[];
    readonly activeTargets: readonly { readonly health: string; readonly lastError: string }[];
  };
}

export class PrometheusProcess implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #port: number;
  readonly #folder: string;
  /** Warnings and errors: samples that were refused are among them. */
  log = '';

  private constructor(child: ChildProcess, port: number, folder: string) {
    this.#process = child;
    this.#port = port;
    this.#folder = folder;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.log += chunk.toString();
        keepLog('prometheus.log', chunk.toString());
      });
  }

  /** Resolves when it answers queries; it scrapes its targets some seconds later. @param rules groups of rules */
  static async start(targets: readonly Target[], rules: object): Promise<PrometheusProcess> {
    const { prometheus } = await ensureBinaries(['prometheus'], silent);
    const folder = mkdtempSync(join(tmpdir(), 'kruise-prometheus-'));
    const [port = 0] = await findFreePorts(1);
    const jobs = targets.map(({ job, port: of }, at) => ({
      job_name: `scrape-${at}`,
      honor_labels: true,
      static_configs: [{ targets: [`127.0.0.1:${of}`], labels: { job } }],
    }));
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [join(folder, 'rules.json')],
      scrape_configs: jobs,
    };
    // JSON is YAML.
    writeFileSync(join(folder, 'rules.json'), JSON.stringify(rules));
    writeFileSync(join(folder, 'prometheus.json'), JSON.stringify(config));
    const flags = ['config.file', 'storage.tsdb.path'].map((flag, at) => `--${flag}=${join(folder, ['prometheus.json', 'data'][at]!)}`);
    const child = spawn(prometheus, [...flags, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'], { cwd: folder });
    const started = new PrometheusProcess(child, port, folder);
    await eventually(() => started.#isReady());
    return started;
  }

  /** @throws when Prometheus refuses the query */
  async query(expr: string): Promise<readonly Sample[]> {
    const answer = await this.#ask(`/api/v1/query?${new URLSearchParams({ query: expr }).toString()}`);
    if (answer.status !== 'success') throw new Error(`${expr}: ${answer.error ?? 'no result'}`);
    return answer.data.result;
  }

  /** Why targets cannot be scraped; one entry for each that could not be, '' for one that was not scraped yet. */
  async faults(): Promise<readonly string[]> {
    const { activeTargets } = (await this.#ask('/api/v1/targets')).data;
    if (activeTargets.length === 0) return [''];
    return activeTargets.filter(({ health }) => health !== 'up').map(({ lastError }) => lastError);
  }

  /** Whether an alert of this name fires now. */
  async isFiring(alert: string): Promise<boolean> {
    return (await this.query(`ALERTS{alertname="${alert}",alertstate="firing"}`)).length > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#process, 'close');
    this.#process.kill('SIGTERM');
    await closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #isReady(): Promise<boolean> {
    if (this.#process.exitCode !== null) throw new Error(`Prometheus has ended: ${this.log}`);
    try {
      return (await fetch(`http://127.0.0.1:${this.#port}/-/ready`)).ok;
    } catch {
      return false; // not listening yet
    }
  }

  async #ask(path: string): Promise<Answer> {
    return (await (await fetch(`http://127.0.0.1:${this.#port}${path}`)).json()) as Answer;
  }
}
