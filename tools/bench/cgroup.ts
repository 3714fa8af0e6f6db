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
/** In which a cgroup has a folder each. */
const parents = isUnified ? [mount] : [join(mount, 'cpu'), join(mount, 'memory')];

/** What is written to the files of a cgroup, as far as a parent has them. */
function settingsOf({ millicores, memoryMiB }: Limits): Readonly<Record<string, string>> {
  const quotaUs = String((millicores * periodUs) / 1000);
  const bytes = String(memoryMiB * 2 ** 20);
  return isUnified
    ? { 'cpu.max': `${quotaUs} ${periodUs}`, 'memory.max': bytes }
    : { 'cpu.cfs_period_us': String(periodUs), 'cpu.cfs_quota_us': quotaUs, 'memory.limit_in_bytes': bytes };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns false as long as a process is in it, which it is for a moment after its end */
function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EBUSY') return false;
    throw error;
  }
}

export class Cgroup implements AsyncDisposable {
  /** A process has to join the `cgroup.procs` of each. */
  readonly #folders: readonly string[];

  /** @throws Error where this process may not make one */
  constructor(name: string, limits: Limits) {
    this.#folders = parents.map((parent) => join(parent, name));
    for (const folder of this.#folders) mkdirSync(folder);
    for (const [file, value] of Object.entries(settingsOf(limits))) for (const path of this.#files(file)) writeFileSync(path, value);
  }

  /** Whether this process may make one. */
  static get allowed(): boolean {
    return process.getuid?.() === 0 && parents.every(isWritable);
  }

  #files(...names: readonly string[]): readonly string[] {
    return this.#folders.flatMap((folder) => names.map((name) => join(folder, name))).filter((path) => existsSync(path));
  }

  /** The command line that runs another one in here. */
  command([program = '', ...args]: readonly string[]): readonly string[] {
    const joinAll = this.#folders.map((folder) => `echo $$ > ${folder}/cgroup.procs`).join(' && ');
    return ['/bin/sh', '-c', `${joinAll} && exec "$0" "$@"`, program, ...args];
  }

  /** Its memory was used up: the kernel ended a process in it. */
  get outOfMemory(): boolean {
    return this.#files('memory.events', 'memory.oom_control').some((file) => /^oom_kill [1-9]/m.test(readFileSync(file, 'utf8')));
  }

  /** Every process in it must have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of this.#folders) await eventually(() => isRemoved(folder), 1_000);
  }
}
