/** The stores of a process. One reflector keeps each of them up to date, however many controllers read it. */
import { apiVersionOf, parseSelectorText, type KubeObject, type Milliseconds, type ResourceType } from '@kruise/objects';
import type { Client } from '../client/client.ts';
import { metadataOnly, type ObjectPart } from '../client/bodies/metadata-only.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { IndexFunction } from '../store.ts';
import { ObjectSharing } from '../store/object-sharing.ts';
import { ObjectStore } from '../store/object-store.ts';
import { untilAborted } from '../until-aborted.ts';
import { parseFieldSelector } from './field-selector.ts';
import { Reflector } from './reflector.ts';

/** The tools that all reflectors of a process share. */
export interface InformersOptions {
  /** The client that calls the server (not the caching one). */
  readonly client: Pick<Client, 'list' | 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sharing?: ObjectSharing;
  readonly resyncEvery?: Milliseconds;
  /** @see ReflectorOptions.stalledAfter */
  readonly stalledAfter?: Milliseconds;
  readonly streamingLists?: boolean;
}

/** Selects objects of a kind; the whole kind when empty. */
export interface InformerScope {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The requested store. Requests of the same scope and part share one store. */
export interface InformerRequest<T extends KubeObject> extends InformerScope {
  /** Indexes to add to those of other requests. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** See `ObjectStoreOptions.trim`. All requests for one store must name the same function. */
  readonly trim?: (object: T) => T;
  /** How much of each object is requested and held; the whole object when absent. Applied before `trim`, also to what own writes return. */
  readonly part?: ObjectPart;
}

/** A store and the reflector that fills it. */
export interface Informer<T extends KubeObject> {
  readonly store: ObjectStore<T>;
  readonly reflector: Reflector<T>;
}

interface Entry {
  readonly informer: Informer<KubeObject>;
  readonly trim: unknown;
}

/** Returns stores by kind and scope, one for all requests of the same, and runs a reflector for each. */
export class Informers {
  readonly #options: InformersOptions;
  readonly #sharing: ObjectSharing;
  /** Entries are kept until the process ends. */
  readonly #entries = new Map<string, Entry>();
  /** Stores by apiVersion and kind, for own writes. */
  readonly #storesOf = new Map<string, ObjectStore[]>();
  /** Set while running. */
  #running: { readonly signal: AbortSignal; readonly reflectors: Set<Promise<void>> } | undefined;

  constructor(options: InformersOptions) {
    this.#options = options;
    this.#sharing = options.sharing ?? new ObjectSharing();
  }

  /**
   * Returns the store of a kind, or of the part of it that the request names. The first request creates it; it starts immediately when the informers
   * run.
   * Throws when the request names a selector that cannot be parsed, an index under a name in use, or another `trim` than before.
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

  /** Returns only the store. @see Informers.informer */
  store<T extends KubeObject>(type: ResourceType<T>, request: InformerRequest<T> = {}): ObjectStore<T> {
    return this.informer(type, request).store;
  }

  /** Returns every store that holds objects of this kind and version. */
  storesOf(apiVersion: string, kind: string): readonly ObjectStore[] {
    return this.#storesOf.get(`${apiVersion}|${kind}`) ?? [];
  }

  /** Runs the reflectors of all stores, including those requested later, until `signal` aborts and all have ended. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) throw new Error('the informers are running already');
    const running = { signal, reflectors: new Set<Promise<void>>() };
    this.#running = running;
    for (const { informer } of this.#entries.values()) running.reflectors.add(informer.reflector.run(signal));
    await untilAborted(signal);
    await Promise.all(running.reflectors);
    this.#running = undefined;
  }

  /** Resolves once every store requested so far holds its first complete list. Rejects with the signal's reason when it aborts before. */
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

/** Returns the selection that the server makes, for objects that do not come from its watch. */
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
