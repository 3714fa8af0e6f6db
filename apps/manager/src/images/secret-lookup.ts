/**
 * Whether the Secrets still exist that tasks name. Those of the agents' namespace and pull secrets of all others are watched: one that is there is never
 * read. Others, and those that the watches do not show, are read. Every node may name the same ones, and each is looked at whenever its status changes,
 * so an answer is believed for a while.
 */
import type { NodeImage } from '@kruise/api';
import { isFailure, type Client, type Clock, type StoreReader } from '@kruise/kube';
import { formatKey, seconds, secrets, type ObjectKey, type Secret } from '@kruise/objects';
import { imagesOf } from '@kruise/kinds/images';

/** How long an answer holds; a reference to a Secret that is not watched stays as much longer than the Secret. */
const believedFor = seconds(600);

interface Answer {
  readonly isDeleted: boolean;
  /** On the clock's monotonic scale. */
  readonly until: number;
}

type Store = Pick<StoreReader<Secret>, 'get'> & { readonly synced: boolean };

/** What is watched. */
export interface WatchedSecrets {
  /** All of the namespace of the agents, with the shared copies. */
  readonly copies: { readonly namespace: string; readonly store: Store };
  /** Secrets that pulls can use, of any namespace. */
  readonly pullSecrets: readonly Store[];
}

export class SecretLookup {
  readonly #client: Pick<Client, 'get'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #watched: WatchedSecrets | undefined;
  /** By key, in the order of their ends: one that is over leaves at the next question. */
  readonly #answers = new Map<string, Answer>();

  /** @param watched undefined where no jobs run */
  constructor(
    { client, clock }: { readonly client: Pick<Client, 'get'>; readonly clock: Pick<Clock, 'monotonic'> },
    watched?: WatchedSecrets,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#watched = watched;
  }

  /** @returns `<namespace>/<name>` of Secrets that are known to be gone; one that cannot be read counts as there */
  async deletedSecrets(nodeImage: NodeImage, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const named = Object.values(imagesOf(nodeImage)).flatMap(({ pullSecrets = [] }) => pullSecrets);
    const deleted = new Set<string>();
    for (const { namespace = '', name = '', mode } of named) {
      const key = { namespace, name };
      const text = formatKey(key);
      if (deleted.has(text)) continue;
      if (mode === 'batch' ? this.#isDeletedCopy(key) : await this.#isGone(text, key, signal)) deleted.add(text);
    }
    return deleted;
  }

  /** The store has every copy before a NodeImage names it, as both are written by this process. */
  #isDeletedCopy(key: ObjectKey): boolean {
    if (this.#watched === undefined || key.namespace !== this.#watched.copies.namespace) return false;
    const { store } = this.#watched.copies;
    return store.synced && store.get(key) === undefined;
  }

  #isShown(key: ObjectKey): boolean {
    if (this.#watched === undefined) return false;
    const { copies, pullSecrets } = this.#watched;
    return [copies.store, ...pullSecrets].some((store) => store.get(key) !== undefined);
  }

  async #isGone(text: string, key: ObjectKey, signal: AbortSignal): Promise<boolean> {
    if (this.#isShown(key)) return false;
    const now = this.#clock.monotonic();
    for (const [other, { until }] of this.#answers) {
      if (until > now) break;
      this.#answers.delete(other);
    }
    const known = this.#answers.get(text);
    if (known !== undefined) return known.isDeleted;
    const isDeleted = await this.#isMissing(key, signal);
    this.#answers.set(text, { isDeleted, until: this.#clock.monotonic() + believedFor });
    return isDeleted;
  }

  async #isMissing(key: ObjectKey, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#client.get(secrets, key, { signal });
      return false;
    } catch (error) {
      return isFailure(error, 'NotFound');
    }
  }
}
