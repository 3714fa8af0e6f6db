/** Reads processes with `ps`, for systems without `/proc` such as macOS. */
import { execFileSync } from 'node:child_process';

interface Stat {
  /** A letter, as in `/proc`: `Z` for a zombie. */
  readonly state: string;
  /** Always 1: `ps` counts no threads by POSIX. */
  readonly threads: number;
  readonly startTime: string;
}

/** Returns the output of the command; '' when it failed, as it does when there is no such process. */
function ps(...args: readonly string[]): string {
  try {
    const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
    return execFileSync('ps', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 << 20 });
  } catch {
    return '';
  }
}

/** Parses `ps -o stat=,lstart=`, e.g. `Ss Thu Nov 26 01:26:44 2026`; the words of the date are joined by `_`. */
export function parsePs(text: string): Stat | undefined {
  const [state, ...date] = text.trim().split(/\s+/);
  return state === undefined || date.length === 0 ? undefined : { state: state.slice(0, 1), threads: 1, startTime: date.join('_') };
}

export const statByPs = (pid: number): Stat | undefined => parsePs(ps('-o', 'stat=,lstart=', '-p', String(pid)));

/** Parses lines of a pid, a command line and an environment. @returns the pids of those that have `wanted` as a word */
export const parseEnvironments = (text: string, wanted: string): readonly number[] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((words) => words.includes(wanted))
    .map(([pid]) => Number(pid));

/** `-E` adds the environment on macOS. */
export const pidsByPs = (wanted: string): readonly number[] => parseEnvironments(ps('-AEww', '-o', 'pid=,command='), wanted);
