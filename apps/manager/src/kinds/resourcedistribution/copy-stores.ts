/**
 * The objects that have the name of a distributed one, in all namespaces: one watch for each kind and name, which begins with the first
 * ResourceDistribution that needs it and ends with the last. The API server sends such a watch nothing else, so the manager holds
 * neither the Secrets nor the ConfigMaps of a cluster, and of those that it holds, no contents.
 *
 *   unused --a ResourceDistribution--> listed --first list--> watched (its users are enqueued) --the last one is deleted--> forgotten
 *                                             | refused: the reflector retries; `failure` is the reason
 */
import {
  ObjectStore,
  Reflector,
  type Client,
  type Clock,
  type Informer,
  type InformerScope,
  type Logger,
  type Request,
  type StoreEvent,
  type StoreReader,
  type StoresByKind,
  type Watch,
} from '@kruise/kube';
import type { ResourceDistribution } from '@kruise/api';
import { apiVersionOf, keyOf, seconds, type ObjectKey, type ResourceType } from '@kruise/objects';
import { slimCopyOf, type Copy, copyNameOf, typeOf, type CopyName } from '@kruise/kinds/resourcedistribution';

/** How long the first list may take before the status reports it. */
const patience = seconds(30);

interface Watched {
  readonly copyName: CopyName;
  readonly store: ObjectStore<Copy>;
  readonly reflector: Reflector<Copy>;
  readonly stop: AbortController;
  /** On the clock's monotonic scale. */
  readonly since: number;
}

export interface CopyStoresOptions {
  /** Straight to the API server. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly distributions: Informer<ResourceDistribution>;
  /** The only namespace that the manager works in, or none. */
  readonly scope: InformerScope;
}

const keyFor = ({ of, name }: CopyName): string => `${of}/${name}`;
const fieldSelectorFor = ({ name }: CopyName): string => `metadata.name=${name}`;

/** The objects that an event of an object with this name enqueues. */
export type RequestsOfCopy = (event: StoreEvent<Copy>, copyName: CopyName) => readonly Request[];

export class CopyStores implements StoresByKind {
  readonly #options: CopyStoresOptions;
  /** By kind and name; an entry leaves when no ResourceDistribution requests it any more. */
  readonly #watched = new Map<string, Watched>();
  #take: ((requests: readonly Request[]) => void) | undefined;
  #requestsOf: RequestsOfCopy = () => [];

  constructor(options: CopyStoresOptions) {
    this.#options = options;
  }

  /** The objects of this name; undefined before all of them are known. */
  of(copyName: CopyName): StoreReader<Copy> | undefined {
    const store = this.#watched.get(keyFor(copyName))?.store;
    return store?.synced === true ? store : undefined;
  }

  /** How long until a list that is still missing is a failure; 0 when it is one. */
  patienceLeft(copyName: CopyName): number {
    const since = this.#watched.get(keyFor(copyName))?.since;
    return since === undefined ? 0 : Math.max(since + patience - this.#options.clock.monotonic(), 0);
  }

  /** Requests one object of the list. @throws ApiError why it is not there */
  async probe(copyName: CopyName, signal: AbortSignal): Promise<void> {
    const { client, scope } = this.#options;
    await client.list(typeOf(copyName.of), { ...scope, fieldSelector: fieldSelectorFor(copyName), limit: 1, signal });
  }

  /** For the client that takes own writes in. */
  storesOf(apiVersion: string, kind: string): readonly ObjectStore[] {
    return [...this.#watched.values()].flatMap(({ store }) =>
      apiVersionOf(store.type) === apiVersion && store.type.kind === kind ? [store as unknown as ObjectStore] : [],
    );
  }

  /** Follows the ResourceDistributions and enqueues what `requestsOf` returns. One at a time. */
  watch(requestsOf: RequestsOfCopy): Watch {
    const { distributions } = this.#options;
    return {
      waitForSync: (signal) => distributions.reflector.waitForSync(signal),
      start: (take, onFailure) => {
        this.#requestsOf = requestsOf;
        this.#take = (requests) => take(requests, false);
        const unsubscribe = distributions.store.subscribe((event) => {
          try {
            this.#follow(event);
          } catch (error) {
            onFailure(error, event.object);
          }
        });
        return () => {
          unsubscribe();
          this.#take = undefined;
          for (const key of [...this.#watched.keys()]) this.#end(key);
        };
      },
    };
  }

  /** Admission lets no name change, but what came past it may have changed. */
  #follow(event: StoreEvent<ResourceDistribution>): void {
    const now = event.kind === 'Deleted' ? undefined : copyNameOf(event.object);
    if (now !== undefined && !this.#watched.has(keyFor(now))) this.#begin(keyFor(now), now);
    const former = event.kind === 'Added' ? undefined : copyNameOf(event.kind === 'Deleted' ? event.object : event.previous);
    if (former === undefined || (now !== undefined && keyFor(now) === keyFor(former))) return;
    if (this.#askers(former).length === 0) this.#end(keyFor(former));
  }

  /** Those that want copies of this name. */
  #askers(copyName: CopyName): readonly ObjectKey[] {
    const key = keyFor(copyName);
    const isAsker = (distribution: ResourceDistribution): boolean => {
      const wanted = copyNameOf(distribution);
      return wanted !== undefined && keyFor(wanted) === key;
    };
    return this.#options.distributions.store.list().filter(isAsker).map(keyOf);
  }

  #end(key: string): void {
    this.#watched.get(key)?.stop.abort();
    this.#watched.delete(key);
  }

  #begin(key: string, copyName: CopyName): void {
    const { client, clock, logger, scope } = this.#options;
    const fieldSelector = fieldSelectorFor(copyName);
    const store = new ObjectStore<Copy>({
      type: typeOf(copyName.of) as ResourceType<Copy>,
      clock,
      logger,
      trim: slimCopyOf(copyName.of),
      selects: ({ metadata }) => metadata.name === copyName.name && (scope.namespace ?? metadata.namespace) === metadata.namespace,
    });
    const reflector = new Reflector<Copy>({ client, store, clock, logger, ...scope, fieldSelector });
    const watched: Watched = { copyName, store, reflector, stop: new AbortController(), since: clock.monotonic() };
    this.#watched.set(key, watched);
    store.subscribe((event) => this.#take?.(this.#requestsOf(event, copyName)));
    const { signal } = watched.stop;
    void reflector.run(signal);
    reflector.waitForSync(signal).then(
      () => this.#take?.(this.#askers(copyName)),
      () => undefined, // the watch has ended
    );
  }
}
