/** A cgroup with the limits of a container, of version 1 or 2, where this process may make one. */
import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const mount = '/sys/fs/cgroup';
const periodUs = 100_000;

export interface Limits {
  readonly millicores: number;
  readonly memoryMiB: number;
}

export class Cgroup implements AsyncDisposable {
  /** Folders whose `cgroup.procs` a process has to join. */
  readonly #folders: readonly string[];

  private constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** Whether this process may make one. */
  static get allowed(): boolean {
    const parents = existsSync(join(mount, 'cgroup.controllers')) ? [mount] : [join(mount, 'cpu'), join(mount, 'memory')];
    return process.getuid?.() === 0 && parents.every(isWritable);
  }

  /** @throws Error where this process may not make one */
  static make(name: string, { millicores, memoryMiB }: Limits): Cgroup {
    const quotaUs = (millicores * periodUs) / 1000;
    const bytes = memoryMiB * 2 ** 20;
    if (existsSync(join(mount, 'cgroup.controllers'))) {
      const folder = join(mount, name);
      mkdirSync(folder);
      writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`);
      writeFileSync(join(folder, 'memory.max'), String(bytes));
      return new Cgroup([folder]);
    }
    const [cpu, memory] = [join(mount, 'cpu', name), join(mount, 'memory', name)];
    for (const folder of [cpu, memory]) mkdirSync(folder);
    writeFileSync(join(cpu, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(join(cpu, 'cpu.cfs_quota_us'), String(quotaUs));
    writeFileSync(join(memory, 'memory.limit_in_bytes'), String(bytes));
    return new Cgroup([cpu, memory]);
  }

  /** The command line that runs another one in here. */
  command(program: string, args: readonly string[]): readonly [string, readonly string[]] {
    const join = this.#folders.map((folder) => `echo $$ > ${folder}/cgroup.procs`).join(' && ');
    return ['/bin/sh', ['-c', `${join} && exec "$0" "$@"`, program, ...args]];
  }

  /** Its memory was used up: the kernel ended a process in it. */
  get outOfMemory(): boolean {
    return this.#folders
      .flatMap((folder) => ['memory.events', 'memory.oom_control'].map((file) => join(folder, file)))
      .filter((file) => existsSync(file))
      .some((file) => /^oom_kill [1-9]/m.test(readFileSync(file, 'utf8')));
  }

  /** Every process in it must have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const folder of this.#folders) await removeGroup(folder);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A process that has ended is in it a little longer. */
async function removeGroup(folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if (tries === 20) throw error;
    }
    await sleep(50);
  }
}
