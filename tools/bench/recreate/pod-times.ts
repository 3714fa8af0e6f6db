/** When a watch first shows Pods of a namespace in a state. */
import type { Client } from '@kruise/kube';
import { pods, type Pod } from '@kruise/objects';

export interface Sighting {
  readonly pod: Pod;
  /** `performance.now()`. */
  readonly at: number;
}

interface Waiting {
  readonly holds: (pod: Pod) => boolean;
  readonly resolve: (sighting: Sighting) => void;
  readonly reject: (error: unknown) => void;
}

export class PodTimes implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #waiting = new Set<Waiting>();
  readonly #done: Promise<void>;

  /** @param signal ends it; what waits rejects */
  constructor(client: Client, namespace: string, signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#stop.abort(), { once: true });
    this.#done = this.#follow(client, namespace);
  }

  async #follow(client: Client, namespace: string): Promise<void> {
    try {
      for await (const event of client.watch<Pod>(pods, { namespace, signal: this.#stop.signal })) {
        if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#see(event.object);
      }
      throw new Error('the watch of the Pods has ended');
    } catch (error) {
      for (const { reject } of this.#waiting) reject(error);
      if (!this.#stop.signal.aborted) throw error;
    }
  }

  #see(pod: Pod): void {
    const at = performance.now();
    for (const waiting of [...this.#waiting]) {
      if (!waiting.holds(pod)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve({ pod, at });
    }
  }

  /** The first Pod from now on that `holds`. Rejects when the watch breaks. */
  first(holds: (pod: Pod) => boolean): Promise<Sighting> {
    return new Promise((resolve, reject) => this.#waiting.add({ holds, resolve, reject }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}
