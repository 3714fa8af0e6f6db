/**
 * The read-your-writes store of one kind: what the watch shows and what own writes returned, whichever is newer.
 *
 * Two sides feed it. Own writes (`observe`, `observeDeletion`) come at any time and say: at this resourceVersion the object was so. The
 * reflector (`observeWatched`, `observeDeleted`, `advance`, `beginReplacement`) goes through the server's history in order, so it also
 * says how far it has come (`resourceVersion`): an object that is not held although the watch has passed the write that made it was
 * deleted since, and a late answer to that write does not bring it back.
 *
 * Promised: the state of an object never goes back to an older one; an object deleted by an own call does not come back with late events
 * (see Tombstones); once the watch has caught up the store holds what the server has. Per object the states are
 *   absent --observe--> held --newer state--> held --deletion--> absent (tombstone),
 * and another uid under the same name is `Deleted` of the old one, then `Added` of the new one.
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

/** What a store holds and by what it is indexed. */
export interface ObjectStoreOptions<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
  /** Shared by all stores of the process; a small one of its own when absent. */
  readonly sharing?: ObjectSharing;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /**
   * Opt-in: what is left of each object before it is held, to save memory. May return the object itself. Objects of a store with `trim`
   * are no longer whole: never send one back by PUT, what was trimmed would be deleted; use patches.
   */
  readonly trim?: (object: T) => T;
  /** For a store of a part of the objects: whether an object belongs to it. An own write that takes an object out of it removes it. */
  readonly selects?: (object: T) => boolean;
}

const ownSlots = 1 << 12;

/** The objects of one kind as last seen, frozen and shared: take a copy before a change. Own writes are in it as soon as they return. */
export class ObjectStore<T extends KubeObject = KubeObject> implements StoreReader<T>, StoreWriter<T> {
  readonly type: ResourceType<T>;
  readonly #options: ObjectStoreOptions<T>;
  readonly #sharing: ObjectSharing;
  readonly #table: ObjectTable<T>;
  readonly #tombstones: Tombstones;
  readonly #delivery: Delivery<T>;
  readonly #brokenIndexes = new Set<string>();
  /** What was taken in last: lists come in order of names, so the next one is often of the same owner. */
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
    this.#delivery = new Delivery((error) => options.logger.error({ kind: this.type.kind, error }, 'a store listener failed'));
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

  /** How far the reflector has come; undefined before the first complete list. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** Deletions remembered at the moment. */
  get tombstones(): number {
    return this.#tombstones.size;
  }

  /** Registers an index, also over what is held already. The same name with another function throws. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    this.#table.addIndex(name, valuesOf);
  }

  /**
   * @param options `replay`: first an `Added` (`initial`) for each object that is held, before this returns; on by default
   * @returns what ends the subscription
   */
  subscribe(listener: StoreListener<T>, options: { readonly replay?: boolean } = {}): () => void {
    if (options.replay !== false) {
      for (const object of this.#table.list(undefined)) this.#delivery.tell(listener, { kind: 'Added', object, initial: true });
    }
    this.#delivery.add(listener);
    return () => this.#delivery.remove(listener);
  }

  // Own writes

  /** Takes in what an own write returned. The object is taken over: it is frozen, and parts equal to known ones are exchanged for them. */
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
   * Takes in an own deletion. With an `uid` only that object goes, and its late events are stopped; without one, whatever is held that
   * is not newer than `resourceVersion`.
   *
   * @param resourceVersion of the deletion; '' when it is not known
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
   * Takes in that the server did not find an object. That is no deletion that was seen: what is newer than the state that is held, and a list that
   * is asked for from now on, bring it back.
   */
  observeAbsence(key: ObjectKey, uid: string): void {
    this.#tombstones.sweep(this.#resourceVersion);
    const held = this.#table.get(key);
    if (held?.metadata.uid !== uid) return;
    this.#tombstones.presume(uid, held.metadata.resourceVersion ?? '');
    this.#remove(held);
  }

  /** Takes in that a write was answered with a version that is older than what had been seen when it began. */
  doubtHistory(resourceVersion: string): void {
    if (!isNewer(resourceVersion, this.#resourceVersion)) this.#onDoubt?.(resourceVersion);
  }

  // The reflector's side

  /** Sets who hears of answers that show another history than the one that was followed, in place of who did before. */
  onDoubt(listener: ((resourceVersion: string) => void) | undefined): void {
    this.#onDoubt = listener;
  }

  /** Takes in an ADDED or MODIFIED event of the watch; one that is not newer than what the reflector has come to tells of the past. */
  observeWatched(object: T): void {
    if (!this.#isPast(object)) this.#take(object);
    this.advance(object.metadata.resourceVersion);
  }

  /**
   * Whether an event of the watch contradicts what is known: it is not newer than what the reflector has come to, and yet tells of a state, or of a
   * deletion of what is held, that was never seen. A repeated event contradicts nothing.
   */
  contradicts({ type, object }: { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }): boolean {
    if (!this.#isPast(object)) return false;
    const held = this.#heldOf(object);
    const { uid, resourceVersion } = object.metadata;
    if (held !== undefined) return isNewer(resourceVersion, held.metadata.resourceVersion);
    return type !== 'DELETED' && !this.#tombstones.covers(uid, resourceVersion);
  }

  /** Takes in a DELETED event of the watch: `object` is the last state, with the resourceVersion of the deletion. */
  observeDeleted(object: T): void {
    this.#takeDeleted(object);
    this.advance(object.metadata.resourceVersion);
  }

  /** Everything up to this resourceVersion has been observed. Called for events of a watch and for bookmarks, not within a list. */
  advance(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined || resourceVersion === '' || isNewer(this.#resourceVersion, resourceVersion)) return;
    this.#resourceVersion = resourceVersion;
    this.#tombstones.sweep(resourceVersion);
  }

  /**
   * Begins to take in a complete list, item by item; ends with `finish` of what is returned, or is given up.
   *
   * @param options `rewound`: the server's history was set back (restored from a backup), so what is held says nothing; the list counts alone
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
      /** A held object that the complete list of `resourceVersion` lacks was deleted before it, unless it was written after. */
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

  /** Tells the listeners of an object again (`Updated` with `previous` being the same), unless it changed meanwhile. */
  tellAgain(object: T): void {
    if (this.#table.get(keyOf(object)) === object) this.#delivery.send({ kind: 'Updated', object, previous: object });
  }

  /** What is held of the very object, and not of another one of its name. */
  #heldOf(object: T): T | undefined {
    const held = this.#table.get(keyOf(object));
    return held?.metadata.uid === object.metadata.uid ? held : undefined;
  }

  /** An object that is not held although the reflector has come past this state of it was deleted since. */
  #isPassed(object: T): boolean {
    return this.#heldOf(object) === undefined && this.#isPast(object);
  }

  /** Whether the reflector has come past this state. */
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

  /** @param begun the last tombstone when the list was asked for */
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

  /** managedFields are never held: clients cut them out already, this is for those that do not. */
  #prepare(object: T): T {
    const whole = 'managedFields' in object.metadata ? withoutManagedFields(object) : object;
    return this.#options.trim === undefined ? whole : this.#options.trim(whole);
  }

  /**
   * The object left what the store holds at `resourceVersion`; newer states of it count.
   *
   * @param confirmed the watch showed it, not an own write
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

  /** At `resourceVersion` another object had the name of the held one: if that is older, it was gone then. */
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
    this.#options.logger.error({ kind: this.type.kind, index, object: keyOf(object), error }, 'an index function failed');
  }
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _cut, ...metadata } = object.metadata as T['metadata'] & { readonly managedFields?: unknown };
  return { ...object, metadata };
}
