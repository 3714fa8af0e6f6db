/** Runs a program of the project as a child: with its output kept or passed on, a limit of time, and ended when we are. */
import { spawn } from 'node:child_process';
import { dirname, join, relative } from 'node:path';

export const root = dirname(dirname(import.meta.dirname));

export interface Program {
  /** File to run with this Node, from the root; the arguments follow. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether what it prints goes to our stderr at once (true) or comes back as `output`. */
  readonly passOn: boolean;
  readonly timeoutMs: number;
  /** How long it may clean up after SIGTERM, before SIGKILL. The default is 10 s. */
  readonly graceMs?: number;
  readonly signal: AbortSignal;
}

export interface Ended {
  /** 1 when it was ended by a signal. */
  readonly code: number;
  /** '' when it was passed on. */
  readonly output: string;
  readonly timedOut: boolean;
}

/** Never rejects for what the program does; it is not started once `signal` has aborted. */
export function runProgram(program: Program): Promise<Ended> {
  const { file, args = [], nodeFlags = [], env = {}, passOn, timeoutMs, graceMs = 10_000, signal } = program;
  signal.throwIfAborted();
  const child = spawn(process.execPath, [...nodeFlags, join(root, file), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: passOn ? ['ignore', 2, 2] : ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  let timedOut = false;
  let forced: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGTERM');
    forced = setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  const limit = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      clearTimeout(forced);
      signal.removeEventListener('abort', end);
      resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString(), timedOut });
    });
  });
}

/** Aborts at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once. */
export function signalOfEnd(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      stop.abort(new Error(`ended by ${name}`));
    });
  }
  return stop.signal;
}

/** Prints lines to stdout. Returns when all is written: a process that exits before loses what a pipe has not taken yet. */
export const printLines = (lines: readonly string[]): Promise<void> =>
  new Promise((resolve) => process.stdout.write(lines.map((line) => `${line}\n`).join(''), () => resolve()));

/** Returns a path below the project's root as a reader wants it, and anything else, such as the title of a step, as it is. */
export const pathInProject = (path: string): string => (path.startsWith(root) ? relative(root, path) : path);

/** Runs the program of a command: `main` returns the exit code. What it throws is printed without a stack, and the exit code is 1. */
export async function runMain(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

/** Runs a program to its end: `main` returns the exit code, and what it throws is a mistake in the arguments. Nothing that is left open delays the caller. */
export async function endWith(main: () => Promise<number>, usage: string): Promise<never> {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exitCode = 2;
  }
  process.exit();
}
