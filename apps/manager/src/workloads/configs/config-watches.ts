/**
 * Watches of exactly the ConfigMaps and Secrets that workloads of one kind name, each by its name, as kubelets do.
 *
 *   not named --a workload names it--> listed and watched --no workload names it any more--> not named (it is forgotten)
 *
 * @see spec/config-rollout.md 5
 */
import {
  ObjectSharing,
  ObjectStore,
  Reflector,
  type Access,
  type Client,
  type Clock,
  type Logger,
  type Request,
  type StoreEvent,
  type Watch,
} from '@kruise/kube';
import {
  configMaps,
  keyOf,
  milliseconds,
  secrets,
  workloadLimits,
  type Instant,
  type KubeObject,
  type Milliseconds,
  type ObjectKey,
  type ResourceType,
} from '@kruise/objects';
import { configPatience, type ConfigReference, type ConfigState } from '@kruise/workloads';
import { slimConfig, type SlimConfig } from './slim-config.ts';

/** Whether the objects of a workload are watched, or which of the limits it would exceed. */
export type Following = 'Followed' | 'NamespaceFull' | 'ClusterFull';

export interface ConfigWatchesOptions {
  readonly client: Pick<Client, 'list' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Watched {
  readonly namespace: string;
  readonly store: ObjectStore<SlimConfig>;
  readonly since: Instant;
  readonly stop: AbortController;
  forbiddenSince: Instant | undefined;
  /** Uids. */
  readonly users: Set<string>;
}

interface User {
  readonly key: ObjectKey;
  /** Keys of what it names. */
  readonly named: readonly string[];
}

/** A ConfigMap that changes all the time enqueues each of its users once in this time. */
const gathering = milliseconds(1000);

const types = { ConfigMap: configMaps, Secret: secrets } as const;
const typeOf = (kind: ConfigReference['kind']): ResourceType<SlimConfig> =>
  types[kind] as ResourceType<KubeObject> as ResourceType<SlimConfig>;

const keyTo = (namespace: string, { kind, name }: ConfigReference): string => `${kind}/${namespace}/${name}`;

/** Whether an event shows another content. A missing object appears as `Added`. */
const isChange = (event: StoreEvent<SlimConfig>): boolean => event.kind !== 'Updated' || event.previous.digest !== event.object.digest;

/** The objects have few parts in common. */
const sharedSlots = 1 << 12;

export class ConfigWatches {
  readonly #options: ConfigWatchesOptions;
  /** One for all stores: a store without it has tables of its own, which take 64 KiB. */
  readonly #sharing = new ObjectSharing(sharedSlots);
  /** By kind, namespace and name; an entry leaves with its last user. */
  readonly #watched = new Map<string, Watched>();
  /** By uid; an entry leaves when the workload is deleted or names nothing. */
  readonly #users = new Map<string, User>();
  #take: ((requests: readonly Request[]) => void) | undefined;

  constructor(options: ConfigWatchesOptions) {
    this.#options = options;
  }

  /** Enqueues the users of an object whose content has changed. Nothing is watched before it starts or after it ends. */
  watch(): Watch {
    return {
      waitForSync: () => Promise.resolve(),
      start: (take) => {
        this.#take = (requests) => take(requests, false);
        return () => {
          this.#take = undefined;
          for (const uid of [...this.#users.keys()]) this.forget(uid);
        };
      },
    };
  }

  /**
   * Watches what a workload names, and nothing that it no longer names.
   *
   * @returns whether all of it is watched: a namespace, and all of them together, have only so many watches, and a workload that would exceed them
   * has none
   */
  follow(workload: KubeObject, references: readonly ConfigReference[]): Following {
    const { uid = '', namespace = '' } = workload.metadata;
    const named = new Map(references.map((reference) => [keyTo(namespace, reference), reference]));
    this.#leave(uid, (key) => !named.has(key));
    const added = [...named.keys()].filter((key) => !this.#watched.has(key)).length;
    const room = added === 0 ? 'Followed' : this.#roomFor(added, namespace);
    if (room !== 'Followed') this.forget(uid);
    if (room !== 'Followed' || this.#take === undefined) return room;
    this.#users.set(uid, { key: keyOf(workload), named: [...named.keys()] });
    for (const [key, reference] of named) (this.#watched.get(key) ?? this.#begin(key, namespace, reference)).users.add(uid);
    return 'Followed';
  }

  /** @param reference one that `follow` was called with */
  stateOf(namespace: string, reference: ConfigReference): ConfigState {
    const watched = this.#watched.get(keyTo(namespace, reference));
    if (watched === undefined) return { kind: 'Awaited', since: this.#options.clock.now() };
    const { store, since, forbiddenSince } = watched;
    if (!store.synced) return { kind: 'Awaited', since, forbiddenSince };
    const held = store.get({ namespace, name: reference.name });
    return held === undefined ? { kind: 'Missing', forbiddenSince } : { kind: 'Known', digest: held.digest, forbiddenSince };
  }

  /** Called for every workload that is deleted or names nothing. @param uid of the workload */
  forget(uid: string): void {
    this.#leave(uid, () => true);
    this.#users.delete(uid);
  }

  /** Number of objects that are watched. */
  get size(): number {
    return this.#watched.size;
  }

  #roomFor(added: number, namespace: string): Following {
    if (added + this.#watched.size > workloadLimits.watchedConfigs.value) return 'ClusterFull';
    let present = 0;
    for (const watched of this.#watched.values()) if (watched.namespace === namespace) present++;
    return added + present > workloadLimits.watchedConfigsOfNamespace.value ? 'NamespaceFull' : 'Followed';
  }

  #leave(uid: string, isLeft: (key: string) => boolean): void {
    for (const key of this.#users.get(uid)?.named.filter(isLeft) ?? []) {
      const watched = this.#watched.get(key);
      watched?.users.delete(uid);
      if (watched?.users.size !== 0) continue;
      watched.stop.abort();
      this.#watched.delete(key);
    }
  }

  #begin(key: string, namespace: string, { kind, name }: ConfigReference): Watched {
    const { client, clock, logger } = this.#options;
    const store = new ObjectStore<SlimConfig>({ type: typeOf(kind), clock, logger, trim: slimConfig, sharing: this.#sharing });
    const watched: Watched = {
      namespace,
      store,
      since: clock.now(),
      stop: new AbortController(),
      forbiddenSince: undefined,
      users: new Set(),
    };
    this.#watched.set(key, watched);
    const { signal } = watched.stop;
    const onAccess = (access: Access): void => this.#noteAccess(watched, access);
    const reflector = new Reflector<SlimConfig>({
      client,
      store,
      clock,
      logger,
      namespace,
      fieldSelector: `metadata.name=${name}`,
      onAccess,
    });
    store.subscribe((event) => {
      if (isChange(event) && store.synced) this.#enqueue(watched, gathering);
    });
    void reflector.run(signal);
    void reflector.waitForSync(signal).then(
      () => this.#enqueue(watched, milliseconds(0)),
      () => undefined,
    );
    return watched;
  }

  /** Rights may be revoked while an object is watched: its content may then have changed since. */
  #noteAccess(watched: Watched, access: Access): void {
    watched.forbiddenSince = access === 'Forbidden' ? this.#options.clock.now() : undefined;
    this.#enqueue(watched, access === 'Forbidden' ? configPatience : milliseconds(0));
  }

  #enqueue({ users, stop }: Watched, after: Milliseconds): void {
    if (stop.signal.aborted) return;
    this.#take?.([...users].flatMap((uid) => this.#users.get(uid)?.key ?? []).map((key) => ({ key, after })));
  }
}
