/** Watches the event loop of the manager without a gap, and that of a process beside it. */
import type { LineProgram } from '../line-program.ts';
import type { LoopDelay, MeasuredManager } from './measured-manager.ts';

const windowSeconds = 1;

/** The longest, in milliseconds. */
export interface Delays {
  readonly longestDelayMs: number;
  /** CPU of the main thread between two turns of its event loop. */
  readonly longestWorkMs: number;
  /** Of a process that decides nothing, at the same time. */
  readonly idleLongestDelayMs: number;
}

export class DelayWatch implements AsyncDisposable {
  readonly #bystander: LineProgram;
  #stopped = false;
  readonly #windows: LoopDelay[] = [];
  #window: Promise<void> = Promise.resolve();
  readonly #loop: Promise<void>;

  constructor(manager: MeasuredManager, bystander: LineProgram) {
    this.#bystander = bystander;
    this.#loop = this.#watch(manager);
  }

  /** The longest delays since the last take; starts over. Waits for the window that is open. */
  async take(): Promise<Delays> {
    await this.#window;
    const windows = this.#windows.splice(0);
    return {
      longestDelayMs: Math.max(0, ...windows.map(({ delayMs }) => delayMs)),
      longestWorkMs: Math.max(0, ...windows.map(({ workMs }) => workMs)),
      idleLongestDelayMs: Number(await this.#bystander.next('')),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async #watch(manager: MeasuredManager): Promise<void> {
    while (!this.#stopped) {
      this.#window = manager.longestDelay(windowSeconds).then((window) => void this.#windows.push(window));
      await this.#window;
    }
  }
}
