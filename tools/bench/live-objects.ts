/** The objects of one type as a watch shows them, and when it first shows one in a state. */
import { Informers, SystemClock, type Client, type InformerScope, type StoreReader } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import type { KubeObject, ResourceType } from '@kruise/objects';

interface Sighting<T> {
  readonly object: T;
  /** `performance.now()`. */
  readonly at: number;
}

type Listener<T> = (sighting: Sighting<T>) => void;

export class LiveObjects<T extends KubeObject> implements AsyncDisposable {
  readonly store: StoreReader<T>;
  /** Each with the timer of its limit. */
  readonly #listeners = new Map<Listener<T>, NodeJS.Timeout>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(informers: Informers, type: ResourceType<T>, scope: InformerScope) {
    const store = informers.store(type, scope);
    store.subscribe(({ kind, object }) => kind !== 'Deleted' && this.#show({ object, at: performance.now() }), { replay: false });
    this.store = store;
    this.#running = informers.run(this.#stop.signal);
  }

  /** @returns once the objects that exist are there */
  static async watch<T extends KubeObject>(client: Client, type: ResourceType<T>, scope: InformerScope): Promise<LiveObjects<T>> {
    const informers = new Informers({ client, clock: new SystemClock(), logger: silentLogger() });
    const objects = new LiveObjects(informers, type, scope);
    await informers.waitForSync(objects.#stop.signal);
    return objects;
  }

  /** The first object from now on that `holds`. @throws when there is none in time */
  first(holds: (object: T) => boolean, withinMs = 600_000): Promise<Sighting<T>> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no ${this.store.type.kind} in ${withinMs / 1000} s: ${holds.toString()}`)), withinMs);
      const listener: Listener<T> = (sighting) => {
        if (!holds(sighting.object)) return;
        this.#listeners.delete(listener);
        clearTimeout(late);
        resolve(sighting);
      };
      this.#listeners.set(listener, late);
    });
  }

  #show(sighting: Sighting<T>): void {
    for (const listener of [...this.#listeners.keys()]) listener(sighting);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const late of this.#listeners.values()) clearTimeout(late);
    this.#stop.abort();
    await this.#running;
  }
}
