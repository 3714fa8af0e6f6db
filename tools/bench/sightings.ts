/** When a watch first shows objects in a state. */
import type { Client, WatchOptions } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';

interface Sighting<T> {
  readonly object: T;
  /** `performance.now()`. */
  readonly at: number;
}

interface Waiting<T> {
  readonly holds: (object: T) => boolean;
  readonly resolve: (sighting: Sighting<T>) => void;
  readonly reject: (error: unknown) => void;
}

export class Sightings<T extends KubeObject> implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #waiting = new Set<Waiting<T>>();
  #failure: Error | undefined;
  readonly #done: Promise<void>;

  /** @param options what is watched; their signal ends it, and what waits rejects */
  constructor(client: Client, type: ResourceType<T>, options: WatchOptions) {
    const signal = AbortSignal.any([this.#stop.signal, ...(options.signal === undefined ? [] : [options.signal])]);
    this.#done = this.#follow(client.watch(type, { ...options, signal }));
  }

  /** The first object from now on that `holds`. Rejects when the watch breaks. */
  first(holds: (object: T) => boolean): Promise<Sighting<T>> {
    return new Promise((resolve, reject) => {
      if (this.#failure === undefined) this.#waiting.add({ holds, resolve, reject });
      else reject(this.#failure);
    });
  }

  async #follow(events: ReturnType<Client['watch']>): Promise<void> {
    try {
      for await (const event of events) if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#see(event.object as T);
      throw new Error('the watch has ended');
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      for (const { reject } of this.#waiting) reject(this.#failure);
    }
  }

  #see(object: T): void {
    const at = performance.now();
    for (const waiting of [...this.#waiting]) {
      if (!waiting.holds(object)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve({ object, at });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}
