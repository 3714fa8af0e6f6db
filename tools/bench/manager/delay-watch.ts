/** Watches the event loop of the manager without a gap, and that of an idle process beside it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ManagerProcess } from './manager-process.ts';

const windowSeconds = 1;

export interface Delays {
  /** Milliseconds, as all of these. */
  readonly manager: number;
  /** Of the manager's main thread: CPU between two turns of its event loop. */
  readonly work: number;
  readonly idleProcess: number;
}

export class DelayWatch {
  readonly #manager: ManagerProcess;
  readonly #idle: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  #stopped = false;
  #longest = { delayMs: 0, workMs: 0 };
  #window: Promise<void> = Promise.resolve();
  readonly #loop: Promise<void>;

  constructor(manager: ManagerProcess) {
    this.#manager = manager;
    const idle = spawn(process.execPath, [join(import.meta.dirname, 'idle-process.ts')], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#idle = idle;
    this.#answers = createInterface({ input: idle.stdout })[Symbol.asyncIterator]();
    this.#loop = this.#watch();
  }

  /** The longest delays since the last take; starts over. Waits for the window that is open. */
  async take(): Promise<Delays> {
    await this.#window;
    const { delayMs, workMs } = this.#longest;
    this.#longest = { delayMs: 0, workMs: 0 };
    this.#idle.stdin?.write('\n');
    const answer = await this.#answers.next();
    return { manager: delayMs, work: workMs, idleProcess: Number(answer.value) };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    this.#idle.kill('SIGKILL');
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      this.#window = this.#watchOnce();
      await this.#window;
    }
  }

  async #watchOnce(): Promise<void> {
    const { delayMs, workMs } = await this.#manager.longestDelay(windowSeconds);
    this.#longest = { delayMs: Math.max(this.#longest.delayMs, delayMs), workMs: Math.max(this.#longest.workMs, workMs) };
  }
}
