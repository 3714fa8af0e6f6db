/** The whole program as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { findFreePorts, keepLog, programFile, shippedFlags } from '@kruise/testing';
import { readExposition, type ReadFamily, type ReadSample } from './families/exposition.testing.ts';

export class ExporterProcess {
  readonly #process: ChildProcess;
  readonly #ports: readonly number[];
  readonly ended: Promise<number | null>;
  output = '';

  constructor(flags: readonly string[], ports: readonly number[]) {
    this.#ports = ports;
    const [port, telemetry] = ports;
    const addresses = ['--host=127.0.0.1', `--port=${port}`, '--telemetry-host=127.0.0.1', `--telemetry-port=${telemetry}`];
    const argv = [...addresses, '--logtostderr=true', '--v=4', ...flags];
    this.#process = spawn(process.execPath, [...shippedFlags('kruise-state-metrics', argv), programFile('state-metrics'), ...argv], {
      env: { PATH: process.env['PATH'] },
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
        keepLog('state-metrics.log', chunk.toString());
      });
    this.ended = once(this.#process, 'close').then(([code]) => code as number | null);
  }

  static async start(flags: readonly string[]): Promise<ExporterProcess> {
    return new ExporterProcess(flags, await findFreePorts(2));
  }

  /** Of the metrics of objects, and of those of the process. */
  get ports(): readonly number[] {
    return this.#ports;
  }

  async stop(): Promise<number | null> {
    this.#process.kill('SIGTERM');
    return this.ended;
  }

  /** The metrics of objects, or of the process; '' while nothing answers. */
  async text(path = '/metrics', of: 'objects' | 'process' = 'objects'): Promise<string> {
    try {
      return await (await fetch(`http://127.0.0.1:${this.#ports[of === 'objects' ? 0 : 1]}${path}`)).text();
    } catch {
      return '';
    }
  }

  /** Read by a strict reader. */
  async families(): Promise<readonly ReadFamily[]> {
    return readExposition(await this.text());
  }

  async samples(family: string): Promise<readonly ReadSample[]> {
    return (await this.families()).find(({ name }) => name === family)?.samples ?? [];
  }
}
