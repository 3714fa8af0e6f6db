/**
 * Keeps a store equal to the objects of one kind on the server.
 *
 *  Streaming list --initial events end--> Watching (the same connection continues)
 *       |  refused: permanently to Paged list --last page--> Watching
 *  Watching --ended by the server, silent, broken--> Watching again at the last resourceVersion
 *  Watching --410 Gone, malformed event, event or own write of the past, many failures in a row, silent for twice as long--> list again
 *
 * Lists are consistent reads (they request no resourceVersion). A list older than what the store has seen therefore means that the server was
 * restored from an older backup; the list is then repeated and replaces the store. Such a server sends nothing, not even bookmarks, until it has
 * reached the requested version, which is why a silence beyond a renewed watch is doubted. The items of a list are added to the store one by one.
 * Objects that it lacks are removed when it is complete, so a list that breaks in the middle loses nothing.
 *
 * Assumed: a watch shows the changes of its kind in order; the server sends bookmarks about once a minute. Guaranteed: `run` never throws and ends
 * only by its signal.
 */
import { compareResourceVersions, milliseconds, type KubeObject, type Milliseconds } from '@kruise/objects';
import { isFailure } from '../api-error.ts';
import type { Client, ObjectList, WatchEvent, WatchOptions } from '../client/client.ts';
import type { ObjectPart } from '../client/bodies/metadata-only.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { ObjectStore } from '../store/object-store.ts';
import type { Replacement } from '../store/replacement.ts';
import { checkedObject } from './checked-object.ts';
import { resync } from './resync.ts';
import { RetryWaits } from './retry-waits.ts';
import { Slices } from './slices.ts';
import { StallTimer } from './stall-timer.ts';
import { EndedEarly, HistoryInDoubt, isAnswered, MalformedAnswer, nextStep, Stalled, type NextStep } from './watch-failure.ts';

/** The objects that a reflector keeps up to date, and when it doubts its watch. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Pick<Client, 'list' | 'watch'>;
  readonly store: ObjectStore<T>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** One namespace; all when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** How much of each object is requested; the whole object when absent. */
  readonly part?: ObjectPart;
  /** How often the listeners receive every object again. Never when absent. */
  readonly resyncEvery?: Milliseconds;
  /** A watch that is silent for longer is renewed; 90 s when absent, because the server sends a bookmark at least every 75 s. */
  readonly stalledAfter?: Milliseconds;
  /** Whether to try streaming lists. On by default; the reflector stops trying when the server refuses. */
  readonly streamingLists?: boolean;
  /** Objects per page of a paged list; 500 when absent. */
  readonly pageSize?: number;
  /** Called when the server begins to answer 403 Forbidden, and when it lets the reflector read again. */
  readonly onAccess?: (access: Access) => void;
  /** Returns a number from 0 (inclusive) to 1 (exclusive), for jitter. */
  readonly random?: () => number;
}

/** Whether the server lets a reflector list and watch. */
export type Access = 'Granted' | 'Forbidden';

const defaultStalledAfter = milliseconds(90_000);
/** The server ends each watch after a random time between this and twice this. */
const watchSeconds = 300;
/** A watch that ends sooner and without an event counts as a failure. */
const shortWatchMs = 1_000;
const failuresBeforeRelist = 5;
const initialStallsBeforePaging = 2;
/** A watch may be silent because its connection is. After a second silent one, the position is in doubt. */
const silencesBeforeRelist = 2;

/** Returns why a watch ended: the reason of this side, or `error`. */
function causeOf(error: unknown, { reason }: { readonly reason: unknown }): unknown {
  return reason instanceof Stalled || reason instanceof HistoryInDoubt ? reason : error;
}

/** Keeps one store equal to the server: it lists, watches, and lists again after a gap. It ends only by its signal. */
export class Reflector<T extends KubeObject = KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #waits: RetryWaits;
  readonly #log: Logger;
  readonly #slices: Slices;
  readonly #whenSynced = Promise.withResolvers<void>();
  #streaming: boolean;
  #access: Access = 'Granted';
  #listed = false;
  #rewound = false;
  #wholeList = false;
  #initialStalls = 0;
  /** How long watches have been open since the last event. */
  #silentMs = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#slices = new Slices(options.clock);
    this.#streaming = options.streamingLists ?? true;
    this.#waits = new RetryWaits(options.clock, options.random ?? Math.random);
    this.#log = options.logger.child({
      logger: 'reflector',
      kind: options.store.type.kind,
      ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    });
  }

  /** True once the first list is complete. */
  get synced(): boolean {
    return this.#options.store.synced;
  }

  /** Resolves once the first list is complete. Rejects with the signal's reason when it aborts before. */
  waitForSync(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason as Error);
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      void this.#whenSynced.promise.then(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
    });
  }

  /** Lists and watches until `signal` aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { store, clock, resyncEvery } = this.#options;
    await Promise.all([this.#follow(signal), resync(store, clock, resyncEvery, signal)]);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const streaming = !this.#listed && this.#streaming;
      try {
        await this.#step(signal, streaming);
      } catch (error) {
        // Once the list is complete, the same connection is a watch like any other.
        if (!signal.aborted) await this.#recover(error, streaming && !this.#listed, signal);
      }
      if (this.#listed) this.#doubtSilence();
    }
  }

  async #step(signal: AbortSignal, streaming: boolean): Promise<void> {
    if (this.#listed) {
      await this.#watch(signal, { resourceVersion: this.#options.store.resourceVersion ?? '' }, undefined);
    } else if (streaming) {
      const replacement = this.#options.store.beginReplacement({ rewound: this.#rewound });
      await this.#watch(signal, { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }, replacement);
    } else await this.#listByPages(signal);
  }

  // Lists

  async #listByPages(signal: AbortSignal): Promise<void> {
    const replacement = this.#options.store.beginReplacement({ rewound: this.#rewound });
    let next: string | undefined;
    do {
      const { resourceVersion, continue: rest = '' } = await this.#takePage(next, replacement, signal);
      next = rest === '' ? undefined : rest;
      if (next === undefined) await this.#complete(replacement, resourceVersion);
    } while (next !== undefined);
  }

  async #takePage(next: string | undefined, replacement: Replacement<T>, signal: AbortSignal): Promise<ObjectList<T>['metadata']> {
    const { client, store, pageSize = 500 } = this.#options;
    const onItem = (object: T): void => this.#addListed(object, replacement);
    const page = await client
      .list<T>(store.type, {
        ...this.#scope(),
        ...this.#limit(pageSize),
        signal,
        onItem,
        ...(next === undefined ? {} : { continue: next }),
      })
      .catch((error: unknown) => {
        if (next !== undefined && isFailure(error, 'Gone')) this.#wholeList = true;
        throw error;
      });
    for (const object of page.items) {
      onItem(object);
      const pause = this.#slices.pause();
      if (pause !== undefined) await pause;
    }
    return page.metadata;
  }

  /** A paged list whose rest expired is requested in one piece the next time, which cannot expire. */
  #limit(pageSize: number): { readonly limit?: number } {
    return this.#wholeList ? {} : { limit: pageSize };
  }

  /** Adds one item. An item that cannot be held must not keep the others from being listed. */
  #addListed(object: T, replacement: Replacement<T>): void {
    try {
      replacement.add(checkedObject(object));
    } catch (error) {
      this.#log.error({ error }, 'Skipped an item of a list');
    }
  }

  async #complete(replacement: Replacement<T>, resourceVersion: string | undefined): Promise<void> {
    if (resourceVersion === undefined || resourceVersion === '') throw new MalformedAnswer('the list has no resourceVersion');
    this.#rewound = replacement.isRewound(resourceVersion);
    if (this.#rewound) throw new EndedEarly(`the server went back to resourceVersion ${resourceVersion}`);
    await replacement.finish(resourceVersion, () => this.#slices.pause());
    this.#listed = true;
    this.#wholeList = false;
    this.#initialStalls = 0;
    this.#silentMs = 0;
    this.#succeeded();
    this.#whenSynced.resolve();
    this.#log.debug({ resourceVersion, objects: this.#options.store.size }, 'Listed objects');
  }

  // Watches

  /**
   * Watches from a position.
   *
   * @param replacement for a streaming list: receives the events up to the bookmark that ends it
   */
  async #watch(signal: AbortSignal, position: Partial<WatchOptions<T>>, replacement: Replacement<T> | undefined): Promise<void> {
    const { client, store, clock, stalledAfter = defaultStalledAfter, random = Math.random } = this.#options;
    const attempt = new AbortController();
    const stop = (): void => attempt.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const stall = new StallTimer(clock, stalledAfter, () => attempt.abort(new Stalled(`nothing heard for ${stalledAfter} ms`)));
    store.onDoubt((resourceVersion) => {
      const seen = store.resourceVersion ?? '';
      if (this.#listed)
        attempt.abort(new HistoryInDoubt(`a write was answered with resourceVersion ${resourceVersion} after ${seen} was seen`));
    });
    const timeoutSeconds = Math.floor(watchSeconds * (1 + random()));
    let events = 0;
    const take = this.#taker(replacement);
    const onEvent = (event: WatchEvent<T>): Promise<void> | undefined => {
      stall.touch();
      events++;
      return take(event);
    };
    const fixed = { signal: attempt.signal, allowWatchBookmarks: true, timeoutSeconds, onEvent };
    const began = clock.monotonic();
    try {
      for await (const event of client.watch<T>(store.type, { ...this.#scope(), ...position, ...fixed })) {
        await (onEvent(event) ?? this.#slices.pause());
      }
      if (!this.#listed) throw new EndedEarly('the watch ended within the initial events');
      if (events === 0 && clock.monotonic() - began < shortWatchMs) throw new EndedEarly('the watch ended immediately');
      this.#noteSilence(stall.silentMs, events);
    } catch (error) {
      const cause = causeOf(error, attempt.signal);
      if (events > 0 || isAnswered(cause)) this.#noteSilence(stall.silentMs, events);
      throw cause;
    } finally {
      store.onDoubt(undefined);
      stall.stop();
      signal.removeEventListener('abort', stop);
      attempt.abort();
    }
  }

  /** Returns the function that applies the events of a watch one after the other. */
  #taker(replacement: Replacement<T> | undefined): (event: WatchEvent<T>) => Promise<void> | undefined {
    let initial = replacement;
    return (event) => {
      if (initial === undefined) this.#take(event);
      else if (event.type === 'BOOKMARK' && event.initialEventsEnd) {
        const complete = initial;
        initial = undefined;
        return this.#complete(complete, event.resourceVersion);
      } else this.#takeInitial(event, initial);
      return undefined;
    };
  }

  #takeInitial(event: WatchEvent<T>, replacement: Replacement<T>): void {
    if (event.type === 'BOOKMARK') return;
    if (event.type === 'DELETED') replacement.remove(checkedObject(event.object));
    else this.#addListed(event.object, replacement);
  }

  #take(event: WatchEvent<T>): void {
    const { store } = this.#options;
    this.#succeeded();
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return this.#takeChange({ type: event.type, object: checkedObject(event.object) });
      case 'BOOKMARK':
        // This may be a restored server instead of an event of the past; a list will show it.
        if ((compareResourceVersions(event.resourceVersion, store.resourceVersion) ?? 0) < 0)
          throw new MalformedAnswer('a bookmark of the past');
        return store.advance(event.resourceVersion);
      default:
        throw new MalformedAnswer(`event of type ${JSON.stringify((event as { type?: unknown }).type)}`);
    }
  }

  #takeChange(change: { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }): void {
    const { store } = this.#options;
    if (store.contradicts(change)) throw new MalformedAnswer('an event of the past');
    if (change.type === 'DELETED') store.observeDeleted(change.object);
    else store.observeWatched(change.object);
  }

  #scope(): Pick<WatchOptions, 'namespace' | 'labelSelector' | 'fieldSelector' | 'part'> {
    const { namespace, labelSelector, fieldSelector, part } = this.#options;
    return {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(part === undefined ? {} : { part }),
    };
  }

  #succeeded(): void {
    this.#waits.succeeded();
    this.#noteAccess('Granted');
  }

  #noteAccess(access: Access): void {
    if (access === this.#access) return;
    this.#access = access;
    this.#options.onAccess?.(access);
  }

  // Failures

  async #recover(error: unknown, streaming: boolean, signal: AbortSignal): Promise<void> {
    const next = nextStep(error, streaming);
    const wait = this.#waits.before(next);
    const fields = { error, listed: this.#listed, next: next.kind, waitMs: Math.round(wait) };
    if (this.#waits.failures > 1) this.#log.warn(fields, 'List or watch failed again');
    else this.#log.info(fields, 'List or watch failed');
    if (isFailure(error, 'Forbidden')) this.#noteAccess('Forbidden');
    if (this.#losesPosition(next)) this.#listed = false;
    if (next.kind === 'PagedLists' || (streaming && error instanceof Stalled && ++this.#initialStalls >= initialStallsBeforePaging))
      this.#streaming = false;
    if (wait > 0) await this.#options.clock.sleep(wait, signal).catch(() => undefined);
  }

  /** Returns whether to list again: a server that keeps refusing the position, for any reason, may accept a list. */
  #losesPosition(next: NextStep): boolean {
    if (next.kind === 'Relist') return true;
    return next.kind === 'Again' && next.reached && next.atLeast === undefined && this.#waits.failures >= failuresBeforeRelist;
  }

  #noteSilence(lastMs: number, events: number): void {
    this.#silentMs = (events > 0 ? 0 : this.#silentMs) + lastMs;
  }

  #doubtSilence(): void {
    const { stalledAfter = defaultStalledAfter } = this.#options;
    if (this.#silentMs < silencesBeforeRelist * stalledAfter) return;
    this.#log.info(
      { silentMs: Math.round(this.#silentMs) },
      'Received nothing at this position, not even after renewing the watch; listing again',
    );
    this.#silentMs = 0;
    this.#listed = false;
  }
}
