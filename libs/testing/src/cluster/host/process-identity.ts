/**
 * Identifies a process by its pid and its start time, so that a reused pid is never mistaken for it. Reads `/proc`, or calls `ps` when there is none.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pidsByPs, statByPs } from './process-status-command.ts';

export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks after boot, as in field 22 of `/proc/<pid>/stat`. Without `/proc`, the date that `ps` prints, without blanks. */
  readonly startTime: string;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The fields that are read of a process. */
export interface ProcessStat {
  /** A letter: `Z` once its first thread has ended. */
  readonly state: string;
  /** The number of threads, the first one included also when that has ended; 0 when only the entry remains. */
  readonly threads: number;
  readonly startTime: string;
}

/** Parses the text of `/proc/<pid>/stat`, whose second field may contain blanks and brackets. */
export function parseStat(text: string): ProcessStat | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, threads, startTime] = [fields[0], fields[17], fields[19]];
  return state === undefined || startTime === undefined ? undefined : { state, threads: Number(threads), startTime };
}

/** Returns whether a process has ended. A zombie has ended; but while it has other threads, they keep its files and ports open. */
export const hasEnded = ({ state, threads }: ProcessStat): boolean => state === 'X' || (state === 'Z' && threads <= 1);

const hasProc = existsSync('/proc/self/stat');

/** Returns the identity of a process, undefined when it does not run; a zombie does not run. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = hasProc ? parseStat(readText(`/proc/${pid}/stat`)) : statByPs(pid);
  return stat === undefined || hasEnded(stat) ? undefined : { pid, startTime: stat.startTime };
}

export const isRunning = (process: ProcessIdentity): boolean => identify(process.pid)?.startTime === process.startTime;

/** Sends a signal to exactly that process. Does nothing when it has ended. */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits until the process has ended. @returns whether it has ended at the deadline */
export async function waitForExit(target: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = 5; isRunning(target); pause = Math.min(pause * 2, 100)) {
    if (performance.now() >= deadline) return false;
    await sleep(pause);
  }
  return true;
}

/** Sends SIGTERM, then SIGKILL after `graceMs`. Resolves when the process has ended. */
export async function endProcess(target: ProcessIdentity, graceMs: number): Promise<void> {
  signalProcess(target, 'SIGTERM');
  if (await waitForExit(target, graceMs)) return;
  signalProcess(target, 'SIGKILL');
  if (!(await waitForExit(target, 60_000))) throw new Error(`process ${target.pid} does not end, not even by SIGKILL`);
}

/**
 * Returns every running process, of those this user may read, whose environment has `name=value`; children inherit the mark.
 * @param value without blanks when there is no `/proc`
 */
export function processesMarked(name: string, value: string): readonly ProcessIdentity[] {
  const wanted = `${name}=${value}`;
  const pids = hasProc ? pidsInProc(wanted) : pidsByPs(wanted);
  return pids.filter((pid) => pid !== process.pid).flatMap((pid) => identify(pid) ?? []);
}

const pidsInProc = (wanted: string): readonly number[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && readText(`/proc/${entry}/environ`).split('\0').includes(wanted))
    .map(Number);
