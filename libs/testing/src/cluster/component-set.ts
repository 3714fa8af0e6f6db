/** The processes of one cluster: each with a log file, and recorded on disk by pid and start time so that a later program can end them. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ProcessIdentity,
  endProcess,
  identify,
  isRunning,
  processesMarked,
  signalProcess,
  waitForExit,
} from './host/process-identity.ts';

/** Every process of a cluster has its folder in this variable of its environment, and so do their children. */
export const clusterFolderVariable = 'KRUISE_CLUSTER_DIR';

export interface ComponentSpec {
  /** Also the name of its log and of its record, e.g. `kube-apiserver`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ComponentRecord extends ProcessIdentity {
  readonly name: string;
  readonly spec: ComponentSpec;
}

/** Ended in this order; others end first. */
const endOrder = ['kube-apiserver', 'etcd'];

/** The processes of one cluster, which a later program can find and end by the records on disk. */
export class ComponentSet {
  readonly dir: string;
  readonly #onStart: (process: ProcessIdentity) => void;

  /**
   * Creates a set.
   *
   * @param dir of the cluster; logs are in `log/`, records in `pid/`
   * @param onStart called for every process right after its start
   */
  constructor(dir: string, onStart: (process: ProcessIdentity) => void = () => undefined) {
    this.dir = dir;
    this.#onStart = onStart;
    for (const folder of ['log', 'pid']) mkdirSync(join(dir, folder), { recursive: true });
  }

  logPath(name: string): string {
    return join(this.dir, 'log', `${name}.log`);
  }

  #recordPath(name: string): string {
    return join(this.dir, 'pid', `${name}.json`);
  }

  /** Starts a component in a session of its own; its output is appended to its log. @throws when it runs already or cannot be started */
  async start(spec: ComponentSpec): Promise<ProcessIdentity> {
    if (this.isAlive(spec.name)) throw new Error(`${spec.name} runs already`);
    const log = openSync(this.logPath(spec.name), 'a');
    try {
      const env = {
        PATH: process.env.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: this.dir,
        ...spec.env,
        [clusterFolderVariable]: this.dir,
      };
      const child = spawn(spec.command, spec.args, { detached: true, stdio: ['ignore', log, log], env, cwd: this.dir });
      const started = child.pid === undefined ? undefined : identify(child.pid);
      if (started === undefined)
        throw await new Promise<Error>((resolve) => child.once('error', resolve).once('exit', () => resolve(this.endOf(spec.name))));
      this.#onStart(started);
      this.#record({ ...started, name: spec.name, spec });
      child.unref();
      return started;
    } finally {
      closeSync(log);
    }
  }

  #record(record: ComponentRecord): void {
    const path = this.#recordPath(record.name);
    writeFileSync(`${path}.new`, JSON.stringify(record));
    renameSync(`${path}.new`, path);
  }

  /** Returns what is recorded, running or not, by name. */
  records(): readonly ComponentRecord[] {
    return readdirSync(join(this.dir, 'pid'))
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => JSON.parse(readFileSync(join(this.dir, 'pid', file), 'utf8')) as ComponentRecord);
  }

  record(name: string): ComponentRecord | undefined {
    return existsSync(this.#recordPath(name)) ? (JSON.parse(readFileSync(this.#recordPath(name), 'utf8')) as ComponentRecord) : undefined;
  }

  isAlive(name: string): boolean {
    const record = this.record(name);
    return record !== undefined && isRunning(record);
  }

  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when it has ended. The record is removed. */
  async stop(name: string, graceMs = 10_000): Promise<void> {
    const record = this.record(name);
    if (record === undefined) return;
    await endProcess(record, graceMs);
    rmSync(this.#recordPath(name), { force: true });
  }

  /** Sends SIGKILL. The record is kept, so that {@link restart} knows how it was started. */
  async kill(name: string): Promise<void> {
    const record = this.record(name);
    if (record === undefined) return;
    signalProcess(record, 'SIGKILL');
    await waitForExit(record, 60_000);
  }

  /** Ends a component if it runs and starts it again with the same command line. */
  async restart(name: string, graceMs = 10_000): Promise<ProcessIdentity> {
    const record = this.record(name);
    if (record === undefined) throw new Error(`${name} has not been started`);
    await endProcess(record, graceMs);
    return this.start(record.spec);
  }

  /** Ends everything recorded, servers last, and then any other process with the mark of this cluster's folder. */
  async stopAll(graceMs = 10_000): Promise<void> {
    const rank = (name: string): number => endOrder.indexOf(name);
    const first = this.records().filter((record) => rank(record.name) < 0);
    await Promise.all(first.map((record) => this.stop(record.name, graceMs)));
    for (const name of endOrder) await this.stop(name, graceMs);
    await Promise.all(processesMarked(clusterFolderVariable, this.dir).map((stray) => endProcess(stray, 2_000)));
  }

  /** Returns the error for a component that has ended by itself, with the end of its log. */
  endOf(name: string): Error {
    return new Error(`${name} has ended; its log ${this.logPath(name)} ends with:\n${this.logTail(name)}`);
  }

  /** Returns the last lines of a log, for error messages. */
  logTail(name: string, lines = 15): string {
    const path = this.logPath(name);
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lines).join('\n') : '';
  }
}
