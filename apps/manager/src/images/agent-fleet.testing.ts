/** The agents of all nodes of a cluster, in one process: they answer NodeImages as real ones do, in two writes for each task. */
import { nodeImages, type NodeImage } from '@kruise/api';
import { CachingClient, Informers, isFailure, SystemClock, type Client, type Logger } from '@kruise/kube';
import { formatKey, keyOf, type ObjectKey } from '@kruise/objects';
import { agentStep, type AgentOptions } from '@kruise/kinds/images/agent.testing';

export interface FleetOptions extends AgentOptions {
  /** From the begin of a pull to its end. */
  readonly pullMs?: number;
  readonly logger: Logger;
}

/** Writes under way at a time. */
const parallelWrites = 16;

export class AgentFleet implements AsyncDisposable {
  /** Status writes so far, those that conflicted included. */
  writes = 0;
  readonly #client: Client;
  readonly #options: FleetOptions;
  readonly #stop = new AbortController();
  readonly #clock = new SystemClock();
  readonly #running: Promise<void>;
  readonly #due = new Map<string, ObjectKey>();
  readonly #workers: readonly Promise<void>[];
  #wake: () => void = () => undefined;

  constructor(client: Client, options: FleetOptions) {
    this.#options = options;
    const informers = new Informers({ client, clock: this.#clock, logger: options.logger });
    this.#client = new CachingClient(client, informers);
    const { store } = informers.informer(nodeImages);
    store.subscribe((event) => {
      if (event.kind !== 'Deleted') this.#enqueue(keyOf(event.object));
    });
    this.#running = informers.run(this.#stop.signal);
    this.#workers = Array.from({ length: parallelWrites }, () => this.#work((key) => store.get(key)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await Promise.all([this.#running, ...this.#workers]);
  }

  #enqueue(key: ObjectKey): void {
    this.#due.set(formatKey(key), key);
    this.#wake();
  }

  async #next(): Promise<ObjectKey | undefined> {
    while (!this.#stop.signal.aborted) {
      const [first] = this.#due;
      if (first !== undefined) {
        this.#due.delete(first[0]);
        return first[1];
      }
      await new Promise<void>((resolve) => {
        const others = this.#wake;
        this.#wake = () => {
          others();
          resolve();
        };
      });
    }
    return undefined;
  }

  async #work(nodeImageAt: (key: ObjectKey) => NodeImage | undefined): Promise<void> {
    for (let key = await this.#next(); key !== undefined; key = await this.#next()) {
      const held = nodeImageAt(key);
      if (held !== undefined) await this.#answer(held);
    }
  }

  async #answer(held: NodeImage): Promise<void> {
    const isPulling = Object.values(held.status?.imageStatuses ?? {}).some(({ tags }) => tags.some(({ phase }) => phase === 'Pulling'));
    if (isPulling) await this.#clock.sleep((this.#options.pullMs ?? 0) as never, this.#stop.signal).catch(() => undefined);
    const next = agentStep(held, this.#clock.now(), this.#options);
    if (next === held || this.#stop.signal.aborted) return;
    this.writes += 1;
    try {
      await this.#client.updateStatus(nodeImages, next, { signal: this.#stop.signal });
    } catch (error) {
      // Writes of others arrive as events; a deleted node needs no answer.
      if (!isFailure(error, 'Conflict') && !isFailure(error, 'NotFound')) this.#enqueue(keyOf(held));
    }
  }
}
