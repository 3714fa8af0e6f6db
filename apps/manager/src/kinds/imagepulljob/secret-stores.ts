/**
 * Where secrets come from. Watched are the copies, and the metadata of all other secrets of the two types that pulls can use. A
 * secret is read when a job names it, and again when its version is another: one that is not watched, because it is missing or of another type, after
 * a minute.
 */
import { knownPullSecrets } from '../../images/known-pull-secrets.ts';
import {
  isFailure,
  watchInformer,
  type Client,
  type Clock,
  type Informer,
  type Request,
  type StoreEvent,
  type Timer,
  type Watch,
} from '@kruise/kube';
import { formatKey, parseKey, seconds, secrets, type ObjectKey, type Secret } from '@kruise/objects';
import type { Caches } from '../../caches/caches.ts';
import { isPullSecret, whyUnfit, type SourceOf, type Unfit } from '@kruise/kinds/images';
import { sourceKeyOf } from '@kruise/kinds/imagepulljob';

/** How long what was read of a secret is held after its last use, and believed of one that is not watched: a pass for each node would ask as often. */
const readFor = seconds(60);

/** How long the first lists may take before the status reports them. */
const patience = seconds(30);

/** What is known of a secret that a job names. */
export interface SourceSeen {
  readonly secret: Secret | undefined;
  /** Why nodes do not get it. */
  readonly unfit: Unfit | undefined;
  /** Whether this is news, not what was read a while ago. */
  readonly isFresh: boolean;
}

interface Read {
  /** Without its contents when it is unfit. */
  readonly secret: Secret | undefined;
  readonly unfit: Unfit | undefined;
  /** Of a pull secret; undefined for what is not watched. */
  readonly version: string | undefined;
  /** On the clock's monotonic scale. */
  readonly until: number;
}

const withoutContents = ({ metadata: { name, namespace = '' }, type = 'Opaque' }: Secret): Secret => ({
  metadata: { name, namespace },
  type,
});

export class SecretStores {
  readonly #client: Pick<Client, 'get'>;
  readonly #clock: Pick<Clock, 'monotonic' | 'schedule'>;
  /** When the lists were requested. */
  readonly #since: number;
  /** By key; an entry leaves within two minutes of its last use. */
  readonly #reads = new Map<string, Read>();
  #sweeping: Timer | undefined;
  readonly #copiesNamespace: string;
  readonly #copies: Informer<Secret>;
  readonly #sources: readonly Informer<Secret>[];

  /** @param copiesNamespace where the agents read */
  constructor(
    parts: { readonly client: Pick<Client, 'get'>; readonly clock: Pick<Clock, 'monotonic' | 'schedule'>; readonly caches: Caches },
    copiesNamespace: string,
  ) {
    this.#client = parts.client;
    this.#clock = parts.clock;
    this.#since = parts.clock.monotonic();
    this.#copiesNamespace = copiesNamespace;
    this.#copies = parts.caches.part(secrets, { namespace: copiesNamespace });
    this.#sources = knownPullSecrets(parts.caches);
  }

  /** Whether the first lists should be in by now. */
  get isOverdue(): boolean {
    return !this.synced && this.#clock.monotonic() - this.#since > patience;
  }

  /** False until the first lists are complete, and always if the installation grants no rights on secrets. */
  get synced(): boolean {
    return [this.#copies, ...this.#sources].every(({ store }) => store.synced);
  }

  get copies(): readonly Secret[] {
    return this.#copies.store.list();
  }

  /** Returns the namespace of the Secret that a NodeImage refers to, or of which that is a copy; undefined for an unknown copy. */
  namespaceOf({ namespace, name = '' }: Parameters<SourceOf>[0]): string | undefined {
    if (namespace !== this.#copiesNamespace) return namespace;
    const copy = this.#copies.store.get({ namespace, name });
    const source = copy === undefined ? undefined : sourceKeyOf(copy);
    return source === undefined ? undefined : parseKey(source).namespace;
  }

  async source(key: ObjectKey, signal: AbortSignal): Promise<SourceSeen> {
    const name = formatKey(key);
    const now = this.#clock.monotonic();
    this.#sweep();
    const known = this.#reads.get(name);
    if (known !== undefined && this.#isPresent(key, known)) {
      if (known.version !== undefined) this.#reads.set(name, { ...known, until: now + readFor });
      return { secret: known.secret, unfit: known.unfit, isFresh: false };
    }
    const secret = await this.#read(key, signal);
    const version = secret !== undefined && isPullSecret(secret) ? secret.metadata.resourceVersion : undefined;
    const unfit = secret === undefined ? undefined : whyUnfit(secret);
    const held = secret === undefined || unfit === undefined ? secret : withoutContents(secret);
    this.#reads.set(name, { secret: held, unfit, version, until: now + readFor });
    this.#sweeping ??= this.#clock.schedule(readFor, () => this.#sweepAgain());
    return { secret: held, unfit, isFresh: true };
  }

  /** Secrets that are held, with their contents or as unfit; for tests. */
  get held(): number {
    return this.#reads.size;
  }

  #sweep(): void {
    const now = this.#clock.monotonic();
    for (const [key, { until }] of this.#reads) if (until <= now) this.#reads.delete(key);
  }

  #sweepAgain(): void {
    this.#sweep();
    this.#sweeping = this.#reads.size === 0 ? undefined : this.#clock.schedule(readFor, () => this.#sweepAgain());
  }

  #drop(): void {
    this.#sweeping?.cancel();
    this.#sweeping = undefined;
    this.#reads.clear();
  }

  /** Whether what was read is what the watches show. */
  #isPresent(key: ObjectKey, { version }: Read): boolean {
    const watched = this.#sources.flatMap(({ store }) => store.get(key) ?? []);
    return watched.length === 0 ? version === undefined : watched.some(({ metadata }) => metadata.resourceVersion === version);
  }

  async #read(key: ObjectKey, signal: AbortSignal): Promise<Secret | undefined> {
    try {
      return await this.#client.get(secrets, key, { signal });
    } catch (error) {
      if (isFailure(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /**
   * Watches that no controller waits for when it starts: without rights on secrets, jobs without pull secrets must run all the same.
   *
   * @param enqueue the keys to enqueue for a changed source, and for a changed copy
   */
  watches(requestsOf: {
    readonly source: (event: StoreEvent<Secret>) => readonly Request[];
    readonly copy: (event: StoreEvent<Secret>) => readonly Request[];
  }): readonly Watch[] {
    const unawaited = (watched: Watch): Watch => ({
      start: (take, onFailure) => watched.start(take, onFailure),
      waitForSync: () => Promise.resolve(),
    });
    return [
      unawaited(watchInformer(this.#copies, requestsOf.copy)),
      ...this.#sources.map((informer) => unawaited(watchInformer(informer, requestsOf.source))),
      // Nothing is held once the controller has stopped.
      { start: () => () => this.#drop(), waitForSync: () => Promise.resolve() },
    ];
  }
}
