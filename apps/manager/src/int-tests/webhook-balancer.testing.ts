/**
 * What a Service is to the API server: new connections go to a replica that is ready, in turn; those that are open stay where they are, whatever
 * becomes of the replica.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReplicaPorts, Told } from './balancer-thread.testing.ts';

export interface Replica {
  readonly ports: ReplicaPorts;
}

export class WebhookBalancer {
  readonly port: number;
  readonly #thread: Worker;
  #ready = 0;
  #connections: readonly number[] = [];

  private constructor(thread: Worker, port: number) {
    this.port = port;
    this.#thread = thread;
    thread.on('message', (told: Told) => {
      if (!('ready' in told)) return;
      this.#ready = told.ready;
      this.#connections = told.connections;
    });
  }

  static async start(): Promise<WebhookBalancer> {
    const thread = new Worker(new URL('balancer-thread.testing.ts', import.meta.url));
    const [told] = (await once(thread, 'message')) as [Told];
    if (!('port' in told)) throw new Error('the balancer does not listen');
    return new WebhookBalancer(thread, told.port);
  }

  /** Replicas that new connections go to. */
  get ready(): number {
    return this.#ready;
  }

  /** How many connections each has got, in the order in which they were added, as of a moment ago. */
  get connections(): readonly number[] {
    return this.#connections;
  }

  add({ ports: { webhook, health } }: Replica): void {
    this.#thread.postMessage({ webhook, health } satisfies ReplicaPorts);
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
