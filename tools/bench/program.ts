/** A program of the image as a process of this machine: its bundle, with the flags of Node and the environment that deploy/launcher passes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseMetrics, type Metrics } from '@kruise/testing';
import { apps } from '../build/apps.ts';
import { bundle } from '../build/bundle.ts';

const root = join(import.meta.dirname, '../..');
const startTimeoutMs = 120_000;
const stopTimeoutMs = 15_000;

/** Builds the app of this name, if given into `folder`, where later builds do not change it. @returns its main file */
export async function buildProgram(name: string, folder?: string): Promise<string> {
  const app = apps.find((one) => one.name === name);
  if (app === undefined) throw new Error(`there is no app named ${name}`);
  return join((await bundle(app, root, folder)).folder, 'main.mjs');
}

export interface ProgramCommand {
  readonly name: string;
  /** Node unless it is given. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For the log. */
  readonly folder: string;
  /** URLs; a program is ready when `ready` is answered with success. */
  readonly urls: Readonly<Record<'ready' | 'metrics', string>>;
  /** What is known about an unexpected end, e.g. `, out of memory`. */
  readonly cause?: () => string;
}

export class Program implements AsyncDisposable {
  readonly #given: ProgramCommand;
  readonly #logPath: string;
  readonly #child: ChildProcess;
  readonly #startedAt = performance.now();

  constructor(given: ProgramCommand) {
    this.#given = given;
    this.#logPath = join(given.folder, `${given.name}.log`);
    mkdirSync(given.folder, { recursive: true });
    const log = openSync(this.#logPath, 'a');
    this.#child = spawn(given.command ?? process.execPath, given.args, { stdio: ['ignore', log, log], env: { ...given.env } });
  }

  /** @throws with the end of its log when it has ended */
  get pid(): number {
    if (this.#child.pid === undefined || this.#hasEnded) throw this.failure(`has ended${this.#given.cause?.() ?? ''}`);
    return this.#child.pid;
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** With the end of the log, because the folder does not outlive the run. */
  failure(what: string): Error {
    const tail = readFileSync(this.#logPath, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
    return new Error(`${this.#given.name} ${what}; its log ends with:\n${tail}`);
  }

  /** @returns seconds from the start of the process to its first success */
  async waitUntilReady(pauseMs = 5): Promise<number> {
    for (;;) {
      const isReady = this.pid > 0 && (await isOk(this.#given.urls.ready));
      const elapsedMs = performance.now() - this.#startedAt;
      if (isReady) return elapsedMs / 1000;
      if (elapsedMs > startTimeoutMs) throw this.failure(`is not ready after ${Math.round(elapsedMs / 1000)} s`);
      await sleep(pauseMs);
    }
  }

  async metrics(): Promise<Metrics> {
    return parseMetrics(await (await fetch(this.#given.urls.metrics)).text());
  }

  /** SIGKILL follows after 15 s. */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.#hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    const forced = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await ended;
    clearTimeout(forced);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

/** Whether a GET is answered with success. */
export async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
