/** The manager as it is shipped, and what it reports about its own work. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@kruise/testing';
import { ManagerProcess } from '../../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import type { AdmissionTarget } from './admission-load.ts';

export class MeasuredManager extends ManagerProcess {
  /** Whom reviews are sent to. */
  get webhook(): AdmissionTarget {
    return { port: this.ports.webhook, certificateAuthority: readFileSync(join(this.certificates, 'ca-cert.pem'), 'utf8') };
  }

  /** Until it leads and its caches are filled, which its controllers show by being there. */
  waitUntilLeading(): Promise<void> {
    return eventually(async () => (await this.measured()).sum('kruise_manager_is_leader') === 1);
  }

  /** The longest of the next `seconds` in the main thread, in milliseconds: delay of its event loop, and own work (CPU) between two turns. */
  async longestDelay(seconds: number): Promise<{ readonly delayMs: number; readonly workMs: number }> {
    type Answer = Readonly<Record<'delayMs' | 'workMs', { readonly max: number }>>;
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
