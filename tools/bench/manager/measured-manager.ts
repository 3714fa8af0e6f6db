/** The manager as it is shipped, and what it reports about its own work. */
import { eventually } from '@kruise/testing';
import { ManagerProcess } from '../../../apps/manager/src/int-tests/processes/manager-process.testing.ts';

/** The longest in the main thread, in milliseconds. */
export interface LoopDelay {
  readonly delayMs: number;
  /** CPU between two turns of the event loop. */
  readonly workMs: number;
}

export class MeasuredManager extends ManagerProcess {
  /** Until it is ready, leads, and its caches are filled, which its controllers show by being there. */
  async waitUntilLeading(): Promise<void> {
    await this.waitUntilReady();
    await eventually(async () => (await this.measured()).sum('kruise_manager_is_leader') === 1);
  }

  /** Of the next `seconds`. */
  async longestDelay(seconds: number): Promise<LoopDelay> {
    type Answer = Readonly<Record<keyof LoopDelay, { readonly max: number }>>;
    const { delayMs, workMs } = await this.#debug<Answer>(`eventloop?seconds=${seconds}`);
    return { delayMs: delayMs.max, workMs: workMs.max };
  }

  /** Of the main thread, after a garbage collection. */
  async heapMiB(): Promise<number> {
    return (await this.#debug<{ readonly heapUsed: number }>('memory?gc=1')).heapUsed / 2 ** 20;
  }

  async #debug<T>(path: string): Promise<T> {
    return (await (await fetch(`http://127.0.0.1:${this.ports.profiles}/debug/pprof/${path}`)).json()) as T;
  }

  /** It gives up its lease and writes its profiles. */
  override async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
