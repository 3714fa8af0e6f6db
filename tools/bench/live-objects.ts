/** The objects of one type as a watch shows them, and when it first shows one in a state. */
import { Informers, SystemClock, type Client, type InformerScope, type ObjectStore } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import type { KubeObject, ResourceType } from '@kruise/objects';

const patienceMs = 600_000;

interface Sighting<T> {
  readonly object: T;
  /** `performance.now()`. */
  readonly at: number;
}

export class LiveObjects<T extends KubeObject> implements AsyncDisposable {
  readonly store: ObjectStore<T>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(informers: Informers, type: ResourceType<T>, scope: InformerScope) {
    this.store = informers.store(type, scope);
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
  first(holds: (object: T) => boolean): Promise<Sighting<T>> {
    const { promise, resolve, reject } = Promise.withResolvers<Sighting<T>>();
    const unsubscribe = this.store.subscribe(
      ({ kind, object }) => {
        if (kind !== 'Deleted' && holds(object)) resolve({ object, at: performance.now() });
      },
      { replay: false },
    );
    const late = setTimeout(
      () => reject(new Error(`no ${this.store.type.kind} in ${patienceMs / 1000} s: ${holds.toString()}`)),
      patienceMs,
    );
    this.#stop.signal.addEventListener('abort', () => clearTimeout(late));
    return promise.finally(() => {
      clearTimeout(late);
      unsubscribe();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}
