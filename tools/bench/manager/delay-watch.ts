/** Watches the event loop of the manager without a gap, and that of an idle process beside it. */
import { join } from 'node:path';
import { LineProgram } from '../line-program.ts';
import type { ManagerProcess } from './manager-process.ts';

const windowSeconds = 1;

/** In milliseconds. */
export interface Delays {
  readonly longestDelayMs: number;
  /** CPU of the main thread between two turns of its event loop. */
  readonly longestWorkMs: number;
  /** Of an idle Node process at the same time. */
  readonly idleLongestDelayMs: number;
}

export class DelayWatch implements AsyncDisposable {
  readonly #manager: ManagerProcess;
  readonly #idle = new LineProgram('the idle process', [process.execPath, join(import.meta.dirname, 'idle-process.ts')]);
  #stopped = false;
  #longest = { longestDelayMs: 0, longestWorkMs: 0 };
  #window: Promise<void> = Promise.resolve();
  readonly #loop: Promise<void>;

  constructor(manager: ManagerProcess) {
    this.#manager = manager;
    this.#loop = this.#watch();
  }

  /** The longest delays since the last take; starts over. Waits for the window that is open. */
  async take(): Promise<Delays> {
    await this.#window;
    const longest = this.#longest;
    this.#longest = { longestDelayMs: 0, longestWorkMs: 0 };
    return { ...longest, idleLongestDelayMs: Number(await this.#idle.next('')) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#loop;
    this.#idle[Symbol.dispose]();
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      this.#window = this.#watchOnce();
      await this.#window;
    }
  }

  async #watchOnce(): Promise<void> {
    const { delayMs, workMs } = await this.#manager.longestDelay(windowSeconds);
    const { longestDelayMs, longestWorkMs } = this.#longest;
    this.#longest = { longestDelayMs: Math.max(longestDelayMs, delayMs), longestWorkMs: Math.max(longestWorkMs, workMs) };
  }
}
