/** A cgroup with the limits of a container, of version 1 or 2, where this process may make one. */
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@kruise/testing';

const mount = '/sys/fs/cgroup';
const periodUs = 100_000;

export interface Limits {
  readonly millicores: number;
  readonly memoryMiB: number;
}

const isUnified = existsSync(join(mount, 'cgroup.controllers'));

/** The folders in which it has a folder each, and what is written to the files there. */
function settingsOf({ millicores, memoryMiB }: Limits): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const quotaUs = String((millicores * periodUs) / 1000);
  const bytes = String(memoryMiB * 2 ** 20);
  if (isUnified) return { '': { 'cpu.max': `${quotaUs} ${periodUs}`, 'memory.max': bytes } };
  return { cpu: { 'cpu.cfs_period_us': String(periodUs), 'cpu.cfs_quota_us': quotaUs }, memory: { 'memory.limit_in_bytes': bytes } };
}

/** @returns whether `act` succeeded */
function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

export class Cgroup implements AsyncDisposable {
  /** A process has to join the `cgroup.procs` of each. */
  readonly #folders: readonly string[];

  /** @throws Error where this process may not make one */
  constructor(name: string, limits: Limits) {
    const settings = Object.entries(settingsOf(limits)).map(([parent, files]) => ({ folder: join(mount, parent, name), files }));
    this.#folders = settings.map(({ folder }) => folder);
    for (const { folder, files } of settings) {
      mkdirSync(folder);
      for (const [file, value] of Object.entries(files)) writeFileSync(join(folder, file), value);
    }
  }

  /** Whether this process may make one. */
  static get allowed(): boolean {
    const parents = isUnified ? [mount] : [join(mount, 'cpu'), join(mount, 'memory')];
    return process.getuid?.() === 0 && parents.every((parent) => succeeds(() => accessSync(parent, constants.W_OK)));
  }

  /** The command line that runs another one in here. */
  command([program = '', ...args]: readonly string[]): readonly string[] {
    const joinAll = this.#folders.map((folder) => `echo $$ > ${folder}/cgroup.procs`).join(' && ');
    return ['/bin/sh', '-c', `${joinAll} && exec "$0" "$@"`, program, ...args];
  }

  /** Its memory was used up: the kernel ended a process in it. */
  get outOfMemory(): boolean {
    const file = join(this.#folders.at(-1) ?? '', isUnified ? 'memory.events' : 'memory.oom_control');
    return /^oom_kill [1-9]/m.test(readFileSync(file, 'utf8'));
  }

  /** Every process in it must have ended. A cgroup is busy for a moment after that. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of this.#folders) await eventually(() => succeeds(() => rmdirSync(folder)), 1_000);
  }
}
