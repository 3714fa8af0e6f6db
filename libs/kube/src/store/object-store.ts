/**
 * The read-your-writes store of one kind: what the watch shows or what own writes returned, whichever is newer.
 *
 * It has two sources. Own writes (`observe`, `observeDeletion`) arrive at any time and report the state of an object at a resourceVersion. The
 * reflector (`observeWatched`, `observeDeleted`, `advance`, `beginReplacement`) follows the server's history in order, so it also reports the version
 * that it has reached (`resourceVersion`). An object that is not held although the watch has passed the write that created it was deleted since, and
 * a late answer to that write does not bring it back.
 *
 * Guaranteed: the state of an object never returns to an older one; late events do not bring back an object that an own call deleted (see
 * Tombstones); once the watch has caught up, the store equals the server. The states of an object are
 *   absent --observe--> held --newer state--> held --deletion--> absent (tombstone),
 * and another uid under the same name is `Deleted` of the old object, then `Added` of the new one.
 */
import { compareResourceVersions, keyOf, type KubeObject, type ObjectKey, type ResourceType } from '@kruise/objects';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { IndexFunction, StoreListener, StoreQuery, StoreReader, StoreWriter } from '../store.ts';
import { Delivery } from './delivery.ts';
import { ObjectSharing } from './object-sharing.ts';
import { ObjectTable } from './object-table.ts';
import { Replacement } from './replacement.ts';
import { isNewer } from './resource-version.ts';
import { Tombstones } from './tombstones.ts';

/** The contents and the indexes of a store. */
export interface ObjectStoreOptions<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** Shared by all stores of the process; a small one of its own when absent. */
  readonly sharing?: ObjectSharing;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /**
   * Opt-in: reduces each object before it is held, to save memory. May return the object itself. Objects of a store with `trim` are incomplete. Never
   * send one back by PUT, which would delete the trimmed fields; use patches.
   */
  readonly trim?: (object: T) => T;
  /**
   * For a store of some of the objects: returns whether an object belongs to it. An own write that makes an object leave the selection removes it.
   */
  readonly selects?: (object: T) => boolean;
}

const ownSlots = 1 << 12;

/** The objects of one kind as last seen, frozen and shared: copy one before you change it. Own writes are in the store as soon as they return. */
export class ObjectStore<T extends KubeObject = KubeObject> implements StoreReader<T>, StoreWriter<T> {
  readonly type: ResourceType<T>;
  readonly #options: ObjectStoreOptions<T>;
  readonly #sharing: ObjectSharing;
  readonly #table: ObjectTable<T>;
  readonly #tombstones: Tombstones;
  readonly #delivery: Delivery<T>;
  readonly #brokenIndexes = new Set<string>();
  /** The object that was added last. Lists are ordered by name, so the next one often has the same owner. */
  #latest: T | undefined;
  #synced = false;
  #resourceVersion: string | undefined;
  #onDoubt: ((resourceVersion: string) => void) | undefined;

  constructor(options: ObjectStoreOptions<T>) {
    this.type = options.type;
    this.#options = options;
    this.#sharing = options.sharing ?? new ObjectSharing(ownSlots);
    this.#table = new ObjectTable((index, object, error) => this.#reportIndex(index, object, error));
    this.#tombstones = new Tombstones(() => options.clock.monotonic());
    this.#delivery = new Delivery((error) => options.logger.error({ kind: this.type.kind, error }, 'A store listener failed'));
    for (const [name, valuesOf] of Object.entries(options.indexes ?? {})) this.addIndex(name, valuesOf);
  }

  get(key: ObjectKey): T | undefined {
    return this.#table.get(key);
  }

  list(query?: StoreQuery): readonly T[] {
    return this.#table.list(query);
  }

  byIndex(index: string | { readonly name: string }, value: string, query?: StoreQuery): readonly T[] {
    return this.#table.byIndex(typeof index === 'string' ? index : index.name, value, query);
  }

  get size(): number {
    return this.#table.size;
  }

  get synced(): boolean {
    return this.#synced;
  }

  /** The resourceVersion that the reflector has reached; undefined before the first complete list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** Number of deletions that are currently remembered. */
  get tombstones(): number {
    return this.#tombstones.size;
  }

  /** Registers an index, also over the objects already held. Throws for a name that has another function. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#table.addIndex(name, valuesOf);
  }

  /**
   * Subscribes to changes.
   *
   * @param options `replay`: first an `Added` (`initial`) for each held object, before this returns; on by default
   * @returns a function that ends the subscription
   */
  subscribe(listener: StoreListener<T>, options: { readonly replay?: boolean } = {}): () => void {
    if (options.replay !== false) {
      for (const object of this.#table.list(undefined)) this.#delivery.tell(listener, { kind: 'Added', object, initial: true });
    }
    this.#delivery.add(listener);
    return () => this.#delivery.remove(listener);
  }

  // Own writes

  /** Applies the object that an own write returned. The store adopts the object: it is frozen, and parts equal to known ones are replaced by them. */
  observe(object: T): void {
    const { uid, resourceVersion } = object.metadata;
    if (this.#options.selects !== undefined && !this.#options.selects(object)) {
      if (uid !== undefined) this.#removeUpTo(keyOf(object), uid, resourceVersion ?? '', false);
      return;
    }
    if (this.#isPassed(object)) this.#dropOlder(this.#table.get(keyOf(object)), resourceVersion);
    else this.#take(object);
  }

  /**
   * Applies an own deletion. With an `uid` only that object is removed, and its late events are ignored. Without one, the held object is removed
   * unless it is newer than `resourceVersion`.
   *
   * @param resourceVersion of the deletion; '' when it is unknown
   */
  observeDeletion(key: ObjectKey, uid: string | undefined, resourceVersion: string): void {
    this.#tombstones.sweep(this.#resourceVersion);
    if (uid !== undefined) {
      this.#bury(key, uid, resourceVersion, false);
      return;
    }
    const held = this.#table.get(key);
    if (held === undefined || isNewer(held.metadata.resourceVersion, resourceVersion)) return;
    if (held.metadata.uid !== undefined) this.#tombstones.lay(held.metadata.uid, resourceVersion, false);
    this.#remove(held);
  }

  /**
   * Applies that the server did not find an object. No deletion was seen, so a state newer than the held one, and a list that is requested from now
   * on, bring it back.
   */
  observeAbsence(key: ObjectKey, uid: string): void {
    this.#tombstones.sweep(this.#resourceVersion);
    const held = this.#table.get(key);
    if (held?.metadata.uid !== uid) return;
    this.#tombstones.presume(uid, held.metadata.resourceVersion ?? '');
    this.#remove(held);
  }

  /** Reports that a write was answered with a version older than what had been seen when it began. */
  doubtHistory(resourceVersion: string): void {
    if (!isNewer(resourceVersion, this.#resourceVersion)) this.#onDoubt?.(resourceVersion);
  }

  // The reflector's side

  /** Sets the listener for answers that show another history than the one followed so far. It replaces the previous listener. */
  onDoubt(listener: ((resourceVersion: string) => void) | undefined): void {
    this.#onDoubt = listener;
  }

  /** Applies an ADDED or MODIFIED event of the watch. An event that is not newer than the reflector's version is old. */
  observeWatched(object: T): void {
    if (!this.#isPast(object)) this.#take(object);
    this.advance(object.metadata.resourceVersion);
  }

  /**
   * Returns whether an event of the watch contradicts what is known: it is not newer than the reflector's version, and yet it contains a state, or a
   * deletion of what is held, that was never seen. A repeated event contradicts nothing.
   */
  contradicts({ type, object }: { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }): boolean {
    if (!this.#isPast(object)) return false;
    const held = this.#heldOf(object);
    const { uid, resourceVersion } = object.metadata;
    if (held !== undefined) return isNewer(resourceVersion, held.metadata.resourceVersion);
    return type !== 'DELETED' && !this.#tombstones.covers(uid, resourceVersion);
  }

  /** Applies a DELETED event of the watch. `object` is the last state, with the resourceVersion of the deletion. */
  observeDeleted(object: T): void {
    this.#takeDeleted(object);
    this.advance(object.metadata.resourceVersion);
  }

  /** Reports that everything up to this resourceVersion has been observed. Called for events of a watch and for bookmarks, not within a list. */
  advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined || resourceVersion === '' || isNewer(this.#resourceVersion, resourceVersion)) return;
    this.#resourceVersion = resourceVersion;
    this.#tombstones.sweep(resourceVersion);
  }

  /**
   * Begins to apply a complete list, item by item. It ends with `finish` of the returned replacement, or is abandoned.
   *
   * @param options `rewound`: the server was restored from an older backup, so the held objects are ignored and only the list counts
   */
  beginReplacement(options: { readonly rewound?: boolean } = {}): Replacement<T> {
    const rewound = options.rewound ?? false;
    const begun = this.#tombstones.latest;
    if (rewound) {
      this.#tombstones.clear();
      this.#resourceVersion = undefined;
    }
    return new Replacement<T>({
      take: (object) => (rewound ? this.#overwrite(object) : this.#takeListed(object, begun)),
      takeDeleted: (object) => this.#takeDeleted(object),
      held: () => this.#table.list(undefined),
      isBehind: (resourceVersion) => isNewer(this.#resourceVersion, resourceVersion),
      reached: (resourceVersion) => this.advance(resourceVersion),
      /** A held object that the complete list of `resourceVersion` lacks was deleted before it, unless it was written afterwards. */
      missing: (object, resourceVersion) => {
        const current = this.#heldOf(object);
        if (current === undefined) return;
        const isOld = !isNewer(current.metadata.resourceVersion, resourceVersion);
        if (isOld || (rewound && current === object)) this.#remove(current);
      },
      finished: () => {
        this.#synced = true;
      },
    });
  }

  /** Sends an object to the listeners again (`Updated` with the same `previous`), unless it changed meanwhile. */
  tellAgain(object: T): void {
    if (this.#table.get(keyOf(object)) === object) this.#delivery.send({ kind: 'Updated', object, previous: object });
  }

  /** Returns the held state of exactly this object, not of another one with its name. */
  #heldOf(object: T): T | undefined {
    const held = this.#table.get(keyOf(object));
    return held?.metadata.uid === object.metadata.uid ? held : undefined;
  }

  /** Returns whether an object that is not held was deleted since, because the reflector has passed this state of it. */
  #isPassed(object: T): boolean {
    return this.#heldOf(object) === undefined && this.#isPast(object);
  }

  /** Returns whether the reflector has passed this state. */
  #isPast({ metadata }: T): boolean {
    return (compareResourceVersions(metadata.resourceVersion, this.#resourceVersion) ?? 1) <= 0;
  }

  #takeDeleted(object: T): void {
    const { uid, resourceVersion = '' } = object.metadata;
    if (uid === undefined) this.observeDeletion(keyOf(object), undefined, resourceVersion);
    else this.#removeUpTo(keyOf(object), uid, resourceVersion, true);
  }

  #take(object: T): void {
    const { uid, resourceVersion } = object.metadata;
    const held = this.#table.get(keyOf(object));
    if (this.#tombstones.stops(uid, resourceVersion)) {
      this.#dropOlder(held, resourceVersion);
      return;
    }
    if (held !== undefined && (compareResourceVersions(resourceVersion, held.metadata.resourceVersion) ?? 1) <= 0) return;
    this.#hold(object, held);
  }

  /**
   * Applies an item of a list.
   *
   * @param begun the last tombstone when the list was requested
   */
  #takeListed(object: T, begun: number): void {
    const { uid } = object.metadata;
    if (uid !== undefined) this.#tombstones.lift(uid, begun);
    this.#take(object);
  }

  #overwrite(object: T): void {
    const held = this.#table.get(keyOf(object));
    const same = held?.metadata.uid === object.metadata.uid && held?.metadata.resourceVersion === object.metadata.resourceVersion;
    if (!same) this.#hold(object, held);
  }

  #hold(object: T, held: T | undefined): void {
    const taken = this.#sharing.adopt(this.#prepare(object), held ?? this.#latest);
    this.#latest = taken;
    const replaces = held !== undefined && held.metadata.uid !== taken.metadata.uid;
    if (replaces) {
      if (held.metadata.uid !== undefined) this.#tombstones.lay(held.metadata.uid, taken.metadata.resourceVersion ?? '', false);
      this.#remove(held);
    }
    const previous = replaces ? undefined : held;
    this.#table.put(taken, previous);
    if (previous === undefined) this.#sharing.hold(1);
    if (previous === undefined) this.#delivery.send({ kind: 'Added', object: taken, initial: !this.#synced });
    else this.#delivery.send({ kind: 'Updated', object: taken, previous });
  }

  /** Removes managedFields, which are never held. Clients remove them already; this is for those that do not. */
  #prepare(object: T): T {
    const whole = 'managedFields' in object.metadata ? withoutManagedFields(object) : object;
    return this.#options.trim === undefined ? whole : this.#options.trim(whole);
  }

  /**
   * Removes an object that was deleted at `resourceVersion`, unless a newer state of it is held.
   *
   * @param confirmed the watch showed the deletion, not an own write
   */
  #removeUpTo(key: ObjectKey, uid: string, resourceVersion: string, confirmed: boolean): void {
    const held = this.#table.get(key);
    const survives = held?.metadata.uid === uid && isNewer(held.metadata.resourceVersion, resourceVersion);
    if (!survives) this.#bury(key, uid, resourceVersion, confirmed);
  }

  #bury(key: ObjectKey, uid: string, resourceVersion: string, confirmed: boolean): void {
    this.#tombstones.lay(uid, resourceVersion, confirmed);
    const held = this.#table.get(key);
    if (held !== undefined && held.metadata.uid === uid) this.#remove(held);
    else this.#dropOlder(held, resourceVersion);
  }

  /** Removes the held object when it is older than `resourceVersion`, at which another object had its name. */
  #dropOlder(held: T | undefined, resourceVersion: string | undefined): void {
    if (held === undefined || !isNewer(resourceVersion, held.metadata.resourceVersion)) return;
    if (held.metadata.uid !== undefined) this.#tombstones.lay(held.metadata.uid, resourceVersion ?? '', false);
    this.#remove(held);
  }

  #remove(held: T): void {
    if (this.#latest === held) this.#latest = undefined;
    this.#table.remove(held);
    this.#sharing.hold(-1);
    this.#delivery.send({ kind: 'Deleted', object: held });
  }

  #reportIndex(index: string, object: T, error: unknown): void {
    if (this.#brokenIndexes.has(index)) return;
    this.#brokenIndexes.add(index);
    this.#options.logger.error({ kind: this.type.kind, index, object: keyOf(object), error }, 'An index function failed');
  }
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _cut, ...metadata } = object.metadata as T['metadata'] & { readonly managedFields?: unknown };
  return { ...object, metadata };
}
