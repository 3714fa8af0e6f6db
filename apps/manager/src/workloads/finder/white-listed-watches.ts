/**
 * Watches of the kinds on the white list. They start and stop as the list changes.
 *
 *   not listed --listed--> looked for --served--> watched (its objects come as additions)
 *                              | not served, or unknown: retried with increasing delays
 *   watched --refused, or its CRD is deleted--> retried by the reflector, with a line in the log each time
 *   any --no longer listed--> not listed (the objects are forgotten, without an event)
 */
import {
  ObjectStore,
  Reflector,
  type Client,
  type Clock,
  type Informer,
  type Logger,
  type Request,
  type StoreEvent,
  type Watch,
} from '@kruise/kube';
import { milliseconds, seconds, type ConfigMap, type KubeObject } from '@kruise/objects';
import { type GroupKind, readWhiteList, type WhiteListedKind, type WhiteListReading } from '@kruise/workloads';
import { type KindMapper } from './kind-mapper.ts';

type ToRequests = (event: StoreEvent<KubeObject>) => readonly Request[];
type Taker = (event: StoreEvent<KubeObject>) => void;

/** A kind that is not served yet is looked for again after so long, twice as long each time, up to the second. */
const looks = { first: seconds(2), last: seconds(60) };

interface Watched {
  readonly stop: AbortController;
  store?: ObjectStore<KubeObject>;
}

export interface WhiteListedOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Of the shared ConfigMap alone. */
  readonly list: Informer<ConfigMap>;
  /** Of the list in it. */
  readonly listKey: string;
  /** The only namespace that the manager works in, or none. */
  readonly namespace?: string | undefined;
}

const nameOf = ({ group, version, kind }: WhiteListedKind): string => `${group}/${version}/${kind}`;

/** The white list as it is now, and the objects of the kinds on it. */
export class WhiteListedKinds {
  readonly #options: WhiteListedOptions;
  readonly #mapper: KindMapper;
  /** By group, version and kind; an entry leaves when its kind does. */
  readonly #watched = new Map<string, Watched>();
  #taker: Taker | undefined;

  constructor(options: WhiteListedOptions, mapper: KindMapper) {
    this.#options = options;
    this.#mapper = mapper;
  }

  /** As the ConfigMap has it now. */
  get reading(): WhiteListReading {
    return readWhiteList(this.#options.list.store.list()[0], this.#options.listKey);
  }

  /** The objects of a kind, once it is watched and they are all there. */
  storeOf(wanted: GroupKind): ObjectStore<KubeObject> | undefined {
    const stores = [...this.#watched.values()].map(({ store }) => store);
    return stores.find((store) => store?.synced === true && store.type.group === wanted.group && store.type.kind === wanted.kind);
  }

  /** Enqueues whom `toRequests` names at every change of an object of a listed kind, and keeps the watches in line with the list. One at a time. */
  watch(toRequests: ToRequests): Watch {
    const { list } = this.#options;
    return {
      waitForSync: (signal) => list.reflector.waitForSync(signal),
      start: (take, onFailure) => {
        this.#taker = (event) => {
          try {
            take(toRequests(event), event.kind === 'Added' && event.initial);
          } catch (error) {
            onFailure(error, event.object);
          }
        };
        const unsubscribe = list.store.subscribe(() => this.#follow());
        this.#follow();
        return () => {
          unsubscribe();
          this.#taker = undefined;
          for (const name of [...this.#watched.keys()]) this.#end(name);
        };
      },
    };
  }

  #follow(): void {
    const { reading } = this;
    // A list that cannot be read says nothing of what is no longer wanted.
    if (reading.kind === 'Faulty') return this.#options.logger.error({ why: reading.why }, 'Failed to read the white list of workloads');
    const wanted = new Map(reading.kinds.filter(({ version, kind }) => version !== '' && kind !== '').map((kind) => [nameOf(kind), kind]));
    for (const name of [...this.#watched.keys()]) if (!wanted.has(name)) this.#end(name);
    for (const [name, kind] of wanted) if (!this.#watched.has(name)) this.#begin(name, kind);
  }

  #end(name: string): void {
    this.#watched.get(name)?.stop.abort();
    this.#watched.delete(name);
  }

  #begin(name: string, kind: WhiteListedKind): void {
    const watched: Watched = { stop: new AbortController() };
    this.#watched.set(name, watched);
    this.#options.logger.info({ kind: name }, 'Watching a kind of the white list');
    void this.#run(name, kind, watched);
  }

  /** Until it is stopped; never rejects. */
  async #run(name: string, { group, version, kind }: WhiteListedKind, watched: Watched): Promise<void> {
    const { client, clock, logger, namespace } = this.#options;
    const { signal } = watched.stop;
    for (let wait = looks.first; !signal.aborted; wait = milliseconds(Math.min(2 * wait, looks.last))) {
      try {
        const { type } = await this.#mapper.map(group === '' ? version : `${group}/${version}`, kind, signal, { afresh: true });
        const store = new ObjectStore<KubeObject>({ type, clock, logger });
        watched.store = store;
        store.subscribe((event) => this.#taker?.(event));
        const scope = namespace === undefined || !type.namespaced ? {} : { namespace };
        return await new Reflector<KubeObject>({ client, store, clock, logger, ...scope }).run(signal);
      } catch (error) {
        if (signal.aborted) return;
        logger.warn({ kind: name, error }, 'Failed to watch a kind of the white list, retrying');
        await clock.sleep(wait, signal).catch(() => undefined);
      }
    }
  }
}
