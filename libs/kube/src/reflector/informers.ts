/** The stores of a process, each kept up to date by one reflector, however many controllers read it. */
import { apiVersionOf, parseSelectorText, type KubeObject, type Milliseconds, type ResourceType } from '@kruise/objects';
import type { Client } from '../client.ts';
import { metadataOnly, type ObjectPart } from '../client/metadata-only.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { IndexFunction } from '../store.ts';
import { ObjectSharing } from '../store/object-sharing.ts';
import { ObjectStore } from '../store/object-store.ts';
import { untilAborted } from '../until-aborted.ts';
import { parseFieldSelector } from './field-selector.ts';
import { Reflector } from './reflector.ts';

/** What all reflectors of a process share. */
export interface InformersOptions {
  /** The client that goes to the server (not the caching one). */
  readonly client: Pick<Client, 'list' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sharing?: ObjectSharing;
  readonly resyncEvery?: Milliseconds;
  /** @see ReflectorOptions.stalledAfter */
  readonly stalledAfter?: Milliseconds;
  readonly streamingLists?: boolean;
}

/** Which objects of a kind; the whole kind when nothing is given. */
export interface InformerScope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Which store is asked for. Requests of the same scope and part share one store. */
export interface InformerRequest<T extends KubeObject> extends InformerScope {
  /** Added to those that others asked for. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** See `ObjectStoreOptions.trim`; all requests for one store must name the same function. */
  readonly trim?: (object: T) => T;
  /** How much of each object is asked for and held; all of it when absent. Applied before `trim`, also to what own writes return. */
  readonly part?: ObjectPart;
}

/** One store and the reflector that feeds it. */
export interface Informer<T extends KubeObject> {
  readonly store: ObjectStore<T>;
  readonly reflector: Reflector<T>;
}

interface Entry {
  readonly informer: Informer<KubeObject>;
  readonly trim: unknown;
}

/** Hands out stores by kind and scope, one for all who ask for the same, and runs a reflector for each. */
export class Informers {
  readonly #options: InformersOptions;
  readonly #sharing: ObjectSharing;
  /** Entries stay for the life of the process. */
  readonly #entries = new Map<string, Entry>();
  /** By apiVersion and kind, for own writes. */
  readonly #storesOf = new Map<string, ObjectStore[]>();
  /** While running. */
  #running: { readonly signal: AbortSignal; readonly reflectors: Set<Promise<void>> } | undefined;

  constructor(options: InformersOptions) {
    this.#options = options;
    this.#sharing = options.sharing ?? new ObjectSharing();
  }

  /**
   * The store of a kind (or of the part of it that the request names), made at the first request. Requested while running, it starts at once.
   * Throws when the request names a selector that cannot be read, an index under a name in use, or another `trim` than before.
   */
  informer<T extends KubeObject>(type: ResourceType<T>, request: InformerRequest<T> = {}): Informer<T> {
    const { namespace = '', labelSelector = '', fieldSelector = '', part = '' } = request;
    const key = [apiVersionOf(type), type.kind, namespace, labelSelector, fieldSelector, part].join('|');
    const known = this.#entries.get(key);
    if (known === undefined) return this.#add(key, type, request);
    if (request.trim !== undefined && known.trim !== request.trim) throw new Error(`the store of ${key} exists with another trim function`);
    const informer = known.informer as unknown as Informer<T>;
    for (const [name, valuesOf] of Object.entries(request.indexes ?? {})) informer.store.addIndex(name, valuesOf);
    return informer;
  }

  /** The store alone. @see Informers.informer */
  store<T extends KubeObject>(type: ResourceType<T>, request: InformerRequest<T> = {}): ObjectStore<T> {
    return this.informer(type, request).store;
  }

  /** Every store that holds objects of this kind and version. */
  storesOf(apiVersion: string, kind: string): readonly ObjectStore[] {
    return this.#storesOf.get(`${apiVersion}|${kind}`) ?? [];
  }

  /** Runs the reflectors of all stores, those requested later included, until `signal` aborts and all have ended; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) throw new Error('the informers are running already');
    const running = { signal, reflectors: new Set<Promise<void>>() };
    this.#running = running;
    for (const { informer } of this.#entries.values()) running.reflectors.add(informer.reflector.run(signal));
    await untilAborted(signal);
    await Promise.all(running.reflectors);
    this.#running = undefined;
  }

  /** Resolves once every store requested so far holds its first complete list; rejects with the signal's reason when aborted before. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ informer }) => informer.reflector.waitForSync(signal)));
  }

  #add<T extends KubeObject>(key: string, type: ResourceType<T>, request: InformerRequest<T>): Informer<T> {
    const { client, clock, logger, resyncEvery, stalledAfter, streamingLists } = this.#options;
    const { indexes, trim: wanted, ...scope } = request;
    const trim = scope.part === undefined ? wanted : trimToMetadata(type, wanted);
    const selects = selectionOf(scope);
    const store = new ObjectStore<T>({
      type,
      clock,
      logger,
      sharing: this.#sharing,
      ...(indexes === undefined ? {} : { indexes }),
      ...(trim === undefined ? {} : { trim }),
      ...(selects === undefined ? {} : { selects }),
    });
    const reflector = new Reflector<T>({
      client,
      store,
      clock,
      logger,
      ...scope,
      ...(resyncEvery === undefined ? {} : { resyncEvery }),
      ...(stalledAfter === undefined ? {} : { stalledAfter }),
      ...(streamingLists === undefined ? {} : { streamingLists }),
    });
    const informer: Informer<T> = { store, reflector };
    this.#entries.set(key, { informer: informer as unknown as Informer<KubeObject>, trim: wanted });
    const kind = `${apiVersionOf(type)}|${type.kind}`;
    this.#storesOf.set(kind, [...(this.#storesOf.get(kind) ?? []), store as unknown as ObjectStore]);
    this.#running?.reflectors.add(reflector.run(this.#running.signal));
    return informer;
  }
}

const trimToMetadata =
  <T extends KubeObject>(type: ResourceType<T>, further: ((object: T) => T) | undefined) =>
  (object: T): T => {
    const part = metadataOnly(object, type);
    return further === undefined ? part : further(part);
  };

/** The same selection as the server makes, for objects that do not come from its watch. */
function selectionOf({ namespace, labelSelector, fieldSelector }: InformerScope): ((object: KubeObject) => boolean) | undefined {
  const tests: ((object: KubeObject) => boolean)[] = [];
  if (namespace !== undefined) tests.push((object) => object.metadata.namespace === namespace);
  if (labelSelector !== undefined) {
    const parsed = parseSelectorText(labelSelector);
    if (parsed.kind === 'Illegal') throw new Error(`label selector ${JSON.stringify(labelSelector)}: ${parsed.why}`);
    tests.push((object) => parsed.matcher.matches(object.metadata.labels));
  }
  if (fieldSelector !== undefined) tests.push(parseFieldSelector(fieldSelector));
  return tests.length === 0 ? undefined : (object) => tests.every((test) => test(object));
}
