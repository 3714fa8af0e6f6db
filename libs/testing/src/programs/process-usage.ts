/** What the kernel counts about one process. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** USER_HZ: clock ticks a second in /proc, 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Returns the CPU seconds of the process so far: all its threads, user and system. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold blanks; after it, user and system time are the 12th and 13th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Returns the seconds that `act` takes, and the CPU that the process uses meanwhile. */
export async function usageDuring(pid: number, act: () => Promise<unknown>): Promise<Readonly<Record<'seconds' | 'cpuSeconds', number>>> {
  const [before, began] = [cpuSecondsOf(pid), performance.now()];
  await act();
  return { seconds: (performance.now() - began) / 1000, cpuSeconds: cpuSecondsOf(pid) - before };
}

/** The time of threads. */
export interface ThreadTime {
  /** Seconds on a processor. */
  readonly ran: number;
  /** Seconds in which it could have run and others had the processors. */
  readonly waited: number;
}

/**
 * Returns the time of the threads of this name since they began. The threads that Node starts itself have the name of its main thread, and may come
 * before it in /proc, because the kernel assigns numbers again from the lowest one.
 *
 * @throws when there is no such thread
 */
export function threadTimeOf(pid: number, name: string): ThreadTime {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => `/proc/${pid}/task/${thread}`);
  const found = threads.filter((thread) => readFileSync(`${thread}/comm`, 'utf8').trimEnd() === name);
  if (found.length === 0) throw new Error(`process ${pid} has no thread ${name}`);
  const times = found.map((thread) => readFileSync(`${thread}/schedstat`, 'utf8').split(' ').map(Number));
  const secondsOf = (field: number): number => times.reduce((sum, fields) => sum + (fields[field] ?? 0), 0) / 1e9;
  return { ran: secondsOf(0), waited: secondsOf(1) };
}

function statusMiB(pid: number, name: string): number {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (line === null) throw new Error(`/proc/${pid}/status has no ${name}`);
  return Number(line[1]) / 1024;
}

/** Returns what of the process is in memory. */
export const rssMiB = (pid: number): number => statusMiB(pid, 'VmRSS');

/** Returns the part of RSS that no other process shares: what one more process of the same program adds to a machine. */
export function privateMiB(pid: number): number {
  const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm);
  return [...lines].reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) / 1024;
}

/** Returns the highest RSS since the start of the process or the last {@link resetPeak}. */
export const peakRssMiB = (pid: number): number => statusMiB(pid, 'VmHWM');

/** Starts {@link peakRssMiB} again. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** Seconds of all cores together. */
export interface MachineTime {
  readonly busy: number;
  readonly total: number;
}

/** Returns the time of the machine since it started. */
export function machineTime(): MachineTime {
  const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, stolen = 0] = first
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softIrq + stolen;
  return { busy: busy / ticksPerSecond, total: (busy + idle + wait) / ticksPerSecond };
}
