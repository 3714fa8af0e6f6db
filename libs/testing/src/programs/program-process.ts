/** A program of the image as a process of this machine, so that a test can kill it at any moment and a benchmark can measure it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Metrics, parseMetrics } from '../prometheus/metrics.ts';
import { keepLog } from '../test-logs/test-logs.ts';
import { programFile } from './program-file.ts';
import { shippedEnvironment, shippedFlags } from './shipped-flags.ts';

/** Names in the image, with `/` before them. */
const imageNames = { manager: 'manager', daemon: 'kruise-daemon', 'state-metrics': 'kruise-state-metrics' } as const;

/** In characters. */
const longestLog = 200_000;
/** A start ends as soon as the program is ready, so only a fault takes this long, however slow the machine. */
const longestStartMs = 180_000;
const longestAnswerMs = 30_000;
/** How long a program may take after SIGTERM. */
const graceMs = 15_000;

/** How a process differs from those of integration tests. */
export interface ProcessOverrides {
  /** The main file; {@link programFile} if absent. */
  readonly file?: string;
  /** Flags of Node besides those that the launcher passes. */
  readonly nodeFlags?: readonly string[];
  /** The process itself appends its output to this file, so that the reader needs no CPU time. If absent, the output is in memory and in the log of the test file. */
  readonly logFile?: string;
  /** Returns a command line that runs the given one, for example in a cgroup. */
  readonly wrap?: (line: readonly string[]) => readonly string[];
  /** Returns what is known about an unexpected end, for example `, out of memory`. */
  readonly cause?: () => string;
}

export interface ProgramCommand extends ProcessOverrides {
  readonly app: keyof typeof imageNames;
  /** Arguments of the program. */
  readonly args: readonly string[];
  /** Variables besides PATH and those that the launcher sets. */
  readonly env: Readonly<Record<string, string>>;
  /** Addresses (host:port) of the probes and of `/metrics`. */
  readonly servers: Readonly<Record<'probes' | 'metrics', string>>;
  /** The path that is answered with 200 once the program is ready: `/readyz` if absent. */
  readonly readyPath?: string;
}

/** The status and body of an answer. `Silent`: no answer came in time; `NoConnection`: nothing listens. */
export type Answer = readonly [status: number | 'Silent' | 'NoConnection', body: string];

/** One program, which may be started several times. */
export class ProgramProcess implements AsyncDisposable {
  /** How each process ended, oldest first: its signal, or `code 0`. A running process is not in the list. */
  readonly exits: string[] = [];
  readonly #command: ProgramCommand;
  #child: ChildProcess | undefined;
  #ended = Promise.resolve('not started');
  #startedAt = 0;
  #log = '';

  constructor(command: ProgramCommand) {
    this.#command = command;
  }

  /** Returns what {@link startOnly} runs, for programs that start it in a way of their own. */
  get commandLine(): { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
    const { app, args: own, env, nodeFlags = [], file = programFile(app), wrap = (line) => line } = this.#command;
    const [command = '', ...args] = wrap([process.execPath, ...shippedFlags(imageNames[app], own), ...nodeFlags, file, ...own]);
    return { command, args, env: { PATH: process.env['PATH'] ?? '', ...shippedEnvironment(), ...env } };
  }

  /** Starts the process without waiting. */
  startOnly(): void {
    const { app, logFile } = this.#command;
    const { command, args, env } = this.commandLine;
    const output = logFile === undefined ? 'pipe' : openForAppending(logFile);
    const child = spawn(command, args, { env, stdio: ['ignore', output, output] });
    if (typeof output === 'number') closeSync(output);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#log = (this.#log + text).slice(-longestLog);
        keepLog(`${app}.log`, text);
      });
    this.#child = child;
    this.#startedAt = performance.now();
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    this.#ended = once(child, 'close').then(([code, signal]) => {
      process.off('exit', kill);
      this.#child = undefined;
      const end = (signal as string | null) ?? `code ${String(code)}`;
      this.exits.push(end);
      return end;
    });
  }

  /** Starts the process. Resolves when it is ready. @throws as {@link waitUntilReady} */
  async start(timeoutMs?: number): Promise<void> {
    this.startOnly();
    await this.waitUntilReady(timeoutMs);
  }

  /** @returns seconds from the start of the process until it was ready @throws with the log if the process ends or takes longer than `timeoutMs` */
  async waitUntilReady(timeoutMs = longestStartMs, pauseMs = 50): Promise<number> {
    for (;;) {
      const isReady = this.pid > 0 && (await this.isReady());
      const elapsedMs = performance.now() - this.#startedAt;
      if (isReady) return elapsedMs / 1000;
      if (elapsedMs > timeoutMs) throw this.failure(`is not ready after ${Math.round(elapsedMs)} ms`);
      await sleep(pauseMs);
    }
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** @throws with the log if no process runs */
  get pid(): number {
    if (this.#child?.pid === undefined) throw this.failure(`has ended (${this.exits.at(-1)}${this.#command.cause?.() ?? ''})`);
    return this.#child.pid;
  }

  /** Resolves at the end of the present process, with its entry in {@link exits}. */
  get ended(): Promise<string> {
    return this.#ended;
  }

  /** The end of what all processes have written. */
  get log(): string {
    const { logFile } = this.#command;
    return logFile === undefined ? this.#log : readFileSync(logFile, 'utf8').slice(-longestLog);
  }

  /** Returns an error with the log. */
  failure(what: string): Error {
    return new Error(`${this.#command.app} ${what}; its log:\n${this.log}`);
  }

  /** Sends a signal to the process if it runs. Resolves after its end. */
  async signal(name: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.#child === undefined) return;
    this.#child.kill(name);
    await this.#ended;
  }

  /** Sends SIGTERM, and SIGKILL if the process still runs 15 seconds later. @returns the last of {@link exits} */
  async stop(): Promise<string | undefined> {
    const forced = setTimeout(() => this.#child?.kill('SIGKILL'), graceMs);
    await this.signal('SIGTERM');
    clearTimeout(forced);
    return this.exits.at(-1);
  }

  async isReady(): Promise<boolean> {
    return (await this.ask(this.#command.readyPath ?? '/readyz', { timeoutMs: 5_000 }))[0] === 200;
  }

  async ask(path: string, { server = 'probes', timeoutMs = longestAnswerMs }: AskOptions = {}): Promise<Answer> {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await fetch(`http://${this.#command.servers[server]}${path}`, { signal });
      return [answer.status, await answer.text()];
    } catch {
      return [signal.aborted ? 'Silent' : 'NoConnection', ''];
    }
  }

  /** Returns `/metrics` as text, '' if it is not answered. */
  async metrics(): Promise<string> {
    return (await this.ask('/metrics', { server: 'metrics' }))[1];
  }

  /** Returns the samples of `/metrics`. @throws with the log if it is not answered */
  async measured(): Promise<Metrics> {
    const [status, text] = await this.ask('/metrics', { server: 'metrics' });
    if (status !== 200) throw this.failure(`answers /metrics with ${status}`);
    return parseMetrics(text);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.signal('SIGKILL');
  }
}

interface AskOptions {
  readonly server?: 'probes' | 'metrics';
  readonly timeoutMs?: number;
}

function openForAppending(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, 'a');
}
