/**
 * Keeps the texts of the objects of one kind up to date.
 *
 *   Looking for a served version --found--> Listing and watching --404--> Looking again
 *        |  not installed: again after a minute
 *
 * A new list takes the place of an old one when it is complete: after a change of the shard, or of the version that is read, no series is
 * missing for the time of a list. A kind that is denied or fails does not delay the others.
 */
import { discoverGroupVersion, ObjectStore, Reflector, type Client, type Clock, type Logger, type ObjectSharing } from '@kruise/kube';
import { milliseconds, type KubeObject, type ResourceType } from '@kruise/objects';
import type { Family } from '../families/family.ts';
import { goTypeName } from '../families/resource-kind.ts';
import type { ExportedKind } from '../options/options.ts';
import { isKept, type Sharding } from '../sharding/shard-of.ts';
import { ListWatch, type CallRecorder } from './list-watch.ts';
import { textOf, type ObjectText } from './object-text.ts';

/** How often a kind that is not installed is looked for. */
const absentWait = milliseconds(60_000);
/** After a failed look, and before the look after a 404. */
const failedWait = milliseconds(5_000);

export interface KindWatchParts {
  readonly client: Pick<Client, 'list' | 'watch' | 'raw'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sharing: ObjectSharing;
  /** Empty for all namespaces. */
  readonly namespaces: readonly string[];
  readonly useCache: boolean;
  /** @param goType as `*v1alpha1.CloneSet` */
  readonly recorderOf: (goType: string) => CallRecorder;
}

export class KindWatch {
  readonly #exported: ExportedKind;
  readonly #parts: KindWatchParts;
  /** Complete lists, by namespace; '' is the whole cluster. */
  readonly #complete = new Map<string, ObjectStore>();

  constructor(exported: ExportedKind, parts: KindWatchParts) {
    this.#exported = exported;
    this.#parts = parts;
  }

  get families(): readonly Family[] {
    return this.#exported.kind.families;
  }

  /** The objects of every complete list. */
  *objects(): Generator<ObjectText, void, void> {
    for (const store of this.#complete.values()) yield* store.list() as readonly ObjectText[];
  }

  /** Watches the objects of one shard until `signal` aborts; never rejects. What an earlier run has listed stays until it is listed again. */
  async run(sharding: Sharding, signal: AbortSignal): Promise<void> {
    let absent = false;
    while (!signal.aborted) {
      const found = await this.#lookForVersion(signal);
      if (found.kind === 'Served') {
        absent = false;
        await this.#follow(found.type, sharding, signal);
        await this.#wait(failedWait, signal);
      } else if (found.kind === 'Absent') {
        if (!absent)
          this.#parts.logger.info({ resource: this.#exported.kind.resource }, 'Kind is not installed; checking again every minute');
        absent = true;
        this.#complete.clear();
        await this.#wait(absentWait, signal);
      } else await this.#wait(failedWait, signal);
    }
  }

  async #lookForVersion(signal: AbortSignal): Promise<{ kind: 'Served'; type: ResourceType } | { kind: 'Absent' | 'Failed' }> {
    const { client, logger } = this.#parts;
    const { types, resource } = this.#exported.kind;
    try {
      for (const type of types) {
        const served = await discoverGroupVersion(client, type, { signal });
        if (served?.some(({ name }) => name === type.plural) === true) return { kind: 'Served', type };
      }
      return { kind: 'Absent' };
    } catch (error) {
      if (!signal.aborted) logger.warn({ resource, error }, 'Failed to check whether the kind is installed');
      return { kind: 'Failed' };
    }
  }

  /** Until `signal` aborts or the API server stops serving the kind. */
  async #follow(type: ResourceType, sharding: Sharding, signal: AbortSignal): Promise<void> {
    const { namespaces, logger } = this.#parts;
    const { resource, namespaced } = this.#exported.kind;
    const notServed = new AbortController();
    const until = AbortSignal.any([signal, notServed.signal]);
    const listWatch = this.#listWatch(type, sharding, () => notServed.abort());
    const scopes = namespaced && namespaces.length > 0 ? namespaces : [''];
    logger.info({ resource, version: type.version, ...sharding }, 'Watching kind');
    await Promise.all(scopes.map((namespace) => this.#followScope(type, { namespace, listWatch, until })));
    if (!signal.aborted) logger.info({ resource, version: type.version }, 'Kind is no longer served in this version');
  }

  #listWatch(type: ResourceType, sharding: Sharding, onNotServed: () => void): ListWatch {
    const { client, recorderOf, useCache } = this.#parts;
    return new ListWatch({
      client,
      record: recorderOf(goTypeName(type)),
      useCache,
      ...(sharding.totalShards > 1 ? { keeps: (uid: string) => isKept(uid, sharding) } : {}),
      onNotServed,
    });
  }

  async #followScope(
    type: ResourceType,
    { namespace, listWatch, until }: { readonly namespace: string; readonly listWatch: ListWatch; readonly until: AbortSignal },
  ): Promise<void> {
    const { clock, logger, sharing } = this.#parts;
    const { kind, allowed } = this.#exported;
    const trim = textOf({ label: kind.label, families: kind.families, allowed });
    const store = new ObjectStore<KubeObject>({ type, clock, logger, sharing, trim });
    // Lists in pages, so that they are counted as lists.
    const reflector = new Reflector({
      client: listWatch,
      store,
      clock,
      logger,
      streamingLists: false,
      ...(namespace === '' ? {} : { namespace }),
    });
    const running = reflector.run(until);
    await reflector.waitForSync(until).then(
      () => this.#complete.set(namespace, store),
      () => undefined,
    );
    await running;
  }

  async #wait(length: typeof failedWait, signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await this.#parts.clock.sleep(length, signal).catch(() => undefined);
  }
}
