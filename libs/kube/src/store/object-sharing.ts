/**
 * Hash-consing: equal strings and equal sub-objects of many Kubernetes objects are kept once. Pods of one template differ in a few values only, so a
 * store of 10,000 of them takes half of the memory, and equality of shared parts is equality of references.
 *
 * Parts are shared bottom-up. A part is looked up by a hash over its keys and its (already shared) children, which are compared one by one with
 * `===`. It is replaced by the equal part known from before; otherwise it is frozen and remembered.
 *
 * An object that is likely similar to a known one (its earlier version, or one with the same owner) is first compared with that one, field by field:
 * what is equal is replaced without a lookup in the tables. Of the rest only parts without parts of their own are looked up. The few parts around
 * them, which contain a difference, are not shared with other objects.
 *
 * Eviction: both tables have a fixed number of slots, two for each hash. A new part replaces the second of its pair. A part that was found again
 * moves to the first, which only another part found again can take. So values that never repeat (most timestamps and addresses) pass through the
 * second slots without evicting those that do, and the tables never hold more than their slots. Losing an entry loses no object, only later sharing
 * with it. Long values are not remembered, only replaced by the equal part of a known object, so the tables do not keep versions of large deleted
 * objects in memory.
 *
 * The size of the tables follows the number of held objects (`hold`): two slots for each object, in steps of four, up to the limit. At each step both
 * are replaced by empty ones, and what repeats is soon known again. A program that holds few objects needs little memory, and one that runs for weeks
 * needs no more: values of objects that are created and deleted, mostly times and messages, do not repeat and must not enlarge the tables.
 */
import type { KubeObject } from '@kruise/objects';
import { equalParts, hashKey, hashString, mix, type Dictionary } from './part-hashes.ts';

/** Deeper parts are frozen but not shared, which bounds the work on hostile objects. */
const DEEPEST = 40;
/** Below any stack limit. Parts nested deeper than this are left unchanged. */
const DEEPEST_FROZEN = 1000;
const RECORD_SEED = 0x2f0b4e1d;
const ARRAY_SEED = 0x51ed270b;
/** Initial slots of a table: 32 KiB. */
const FEWEST_SLOTS = 1 << 12;
const GROWTH = 4;
const SLOTS_PER_OBJECT = 2;
/** Length in characters of the longest string that is remembered. */
const LONGEST_STRING = 1024;
/** Weight of the heaviest part that is remembered: all characters of the strings inside, and `VALUE_WEIGHT` for each value. */
const HEAVIEST_PART = 2048;
const VALUE_WEIGHT = 8;
const isPart = (value: unknown): value is object => typeof value === 'object' && value !== null;

function freezeDeep(value: unknown, depth: number): void {
  if (!isPart(value) || depth > DEEPEST_FROZEN) return;
  for (const key in value) freezeDeep((value as Dictionary)[key], depth + 1);
  Object.freeze(value);
}

/** Values of this field differ for every object. They are not looked up, and no part that contains one can be shared with another object. */
const isUniqueMember = (key: string): boolean => key === 'containerID';
const isUniqueMetadata = (key: string): boolean => key === 'uid' || key === 'resourceVersion' || key === 'name';

/** Returns a field of an object that was adopted before. What a record inherits under this name is no field. */
const memberOf = (known: Dictionary | undefined, key: string): unknown => (key === '__proto__' ? undefined : known?.[key]);

function hasMembers(record: Dictionary, count: number): boolean {
  let left = count;
  for (const _key in record) left--;
  return left === 0;
}

/** Returns whether two objects have much in common: versions of one object, or two objects of one owner. */
function areKin(a: KubeObject, b: KubeObject): boolean {
  const [x, y] = [a.metadata, b.metadata];
  if (x.uid !== undefined && x.uid === y.uid) return true;
  const owner = x.ownerReferences?.[0]?.uid;
  return owner !== undefined && owner === y.ownerReferences?.[0]?.uid;
}

/** Returns whether there is something to replace: an equal string may be elsewhere in memory, which `!==` does not show. */
const isExchange = (value: unknown, shared: unknown): boolean => typeof shared === 'string' || shared !== value;

/** A table of shared parts. Pass the same one to all stores of a process. */
export class ObjectSharing {
  private readonly limit: number;
  private strings: (string | undefined)[] = [];
  private parts: (object | undefined)[] = [];
  private mask = 0;
  private held = 0;
  /** Hash of the value that `share` returned last. */
  private hash = 0;
  /** Whether the value that `share` returned last cannot be shared. What contains it cannot be shared either. */
  private unique = false;
  /** Weight of the value that `share` returned last, counted as for `HEAVIEST_PART`. */
  private weight = 0;
  /** Whether parts may be frozen already, which is then checked for each of them. */
  private careful = false;

  /**
   * Creates empty tables.
   *
   * @param slots the maximum of strings, and of parts, that are remembered; a power of two, 8 bytes a slot. 2^16 suits some 10,000 Pods, 2^12 a node.
   */
  constructor(slots = 1 << 16) {
    if (slots < 4 || (slots & (slots - 1)) !== 0) throw new RangeError(`slots must be a power of two, got ${String(slots)}`);
    this.limit = slots;
    this.begin(Math.min(slots, FEWEST_SLOTS));
  }

  /** Current slots of each table. */
  get slots(): number {
    return this.strings.length;
  }

  private begin(slots: number): void {
    this.strings = new Array<string | undefined>(slots).fill(undefined);
    this.parts = new Array<object | undefined>(slots).fill(undefined);
    this.mask = slots / 2 - 1;
  }

  /**
   * Changes the number of held objects. The tables grow with it and do not shrink.
   *
   * @param change of the number of objects that all stores hold which share this table
   */
  hold(change: number): void {
    this.held += change;
    const { slots } = this;
    if (slots < this.limit && this.held * SLOTS_PER_OBJECT > slots) this.begin(Math.min(slots * GROWTH, this.limit));
  }

  /**
   * Adopts a parsed object: its parts are replaced by equal shared ones, and all of it is frozen, in place. Parts that are frozen already are kept
   * unchanged.
   *
   * @param like an object that was adopted before; useful when it is an earlier version of the same object, or has the same owner
   */
  adopt<T extends KubeObject>(object: T, like?: T): T {
    this.careful = Object.isFrozen(object);
    try {
      return this.adoptParts(object, like);
    } catch (error) {
      if (this.careful || !(error instanceof TypeError)) throw error;
      // A part was frozen below an unfrozen one. What has been replaced so far stays replaced.
      this.careful = true;
      return this.adoptParts(object, like);
    }
  }

  private adoptParts<T extends KubeObject>(object: T, like: T | undefined): T {
    const record = object as unknown as Dictionary;
    const known = like !== undefined && areKin(object, like) ? (like as unknown as Dictionary) : undefined;
    for (const key in record) {
      const value = record[key];
      if (key === 'metadata') this.adoptMetadata(value, known?.metadata as Dictionary | undefined);
      else this.place(record, key, this.shareAs(value, memberOf(known, key), 1));
    }
    return Object.freeze(object);
  }

  /** Shares labels and owners; the metadata itself is unique to its object. */
  private adoptMetadata(metadata: unknown, known: Dictionary | undefined): void {
    if (!isPart(metadata)) return;
    const record = metadata as Dictionary;
    for (const key in record) {
      const value = record[key];
      if (!isUniqueMetadata(key) || isPart(value)) this.place(record, key, this.shareAs(value, memberOf(known, key), 2));
    }
    Object.freeze(record);
  }

  /**
   * Shares a value.
   *
   * @param known the value at the same place of an object that was adopted before, undefined when there is none
   */
  private shareAs(value: unknown, known: unknown, depth: number): unknown {
    if (!isPart(value)) return value === known ? known : this.share(value, depth);
    if (!isPart(known) || depth > DEEPEST) return this.share(value, depth);
    if (!Array.isArray(value)) {
      return Array.isArray(known) ? this.share(value, depth) : this.shareRecordAs(value as Dictionary, known as Dictionary, depth);
    }
    return Array.isArray(known) ? this.shareArrayAs(value, known, depth) : this.share(value, depth);
  }

  private shareRecordAs(record: Dictionary, known: Dictionary, depth: number): object {
    let same = true;
    let flat = true;
    let members = 0;
    for (const key in record) {
      const value = record[key];
      const other = known[key];
      members++;
      if (!isPart(value)) {
        // An absent field looks like one that is undefined.
        same &&= value === other && value !== undefined;
        continue;
      }
      flat = false;
      const shared = this.shareAs(value, memberOf(known, key), depth + 1);
      if (shared !== value) this.exchange(record, key, shared);
      same &&= shared === other;
    }
    if (same && hasMembers(known, members)) return known;
    return flat ? this.shareRecord(record, depth) : this.settle(record, known);
  }

  private shareArrayAs(array: unknown[], known: readonly unknown[], depth: number): object {
    let same = array.length === known.length;
    let flat = true;
    for (let at = 0; at < array.length; at++) {
      const value = array[at];
      if (isPart(value)) {
        flat = false;
        const shared = this.shareAs(value, known[at], depth + 1);
        if (shared !== value) this.exchange(array as unknown as Dictionary, at, shared);
        same &&= shared === known[at];
      } else same &&= value === known[at];
    }
    if (same) return known;
    return flat ? this.shareArray(array, depth) : Object.freeze(array);
  }

  /** Shares the strings of a record that differs, and freezes it. What else it has in common with the known one is in place already. */
  private settle(record: Dictionary, known: Dictionary): object {
    for (const key in record) {
      const value = record[key];
      if (typeof value !== 'string' || isUniqueMember(key)) continue;
      this.exchange(record, key, value === known[key] ? known[key] : this.shareString(value));
    }
    return Object.freeze(record);
  }

  private place(part: Dictionary, key: string, shared: unknown): void {
    if (isExchange(part[key], shared)) this.exchange(part, key, shared);
  }

  /** Replaces a value of a part. @returns false for a frozen part, which keeps its value */
  private exchange(part: Dictionary, key: string | number, shared: unknown): boolean {
    if (this.careful && Object.isFrozen(part)) return false;
    part[key] = shared;
    return true;
  }

  private share(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        return this.shareString(value);
      case 'object':
        if (value === null) return this.plain(null, 7);
        return this.shareObject(value, depth);
      case 'number':
        return this.plain(value, value ^ 0x1f3d5b79);
      default:
        return this.plain(value, value === true ? 11 : 13);
    }
  }

  private shareObject(value: object, depth: number): object {
    if (depth > DEEPEST) {
      freezeDeep(value, depth);
      this.unique = true;
      return value;
    }
    return Array.isArray(value) ? this.shareArray(value, depth) : this.shareRecord(value as Dictionary, depth);
  }

  private plain<V>(value: V, hash: number): V {
    this.hash = hash;
    this.unique = false;
    this.weight = VALUE_WEIGHT;
    return value;
  }

  private shareString(text: string): string {
    const hash = hashString(text);
    const { length } = text;
    this.hash = hash;
    this.weight = VALUE_WEIGHT + length;
    this.unique = length > LONGEST_STRING;
    if (length < 2 || this.unique) return text;
    const { strings } = this;
    const first = (hash & this.mask) << 1;
    const known = strings[first];
    if (known === text) return known;
    const second = strings[first + 1];
    if (second === text) {
      strings[first + 1] = known;
      strings[first] = second;
      return second;
    }
    strings[first + 1] = text;
    return text;
  }

  private shareRecord(record: Dictionary, depth: number): object {
    let hash = RECORD_SEED;
    let unique = false;
    let weight = VALUE_WEIGHT;
    for (const key in record) {
      const value = record[key];
      if (isUniqueMember(key)) {
        unique = true;
        if (!isPart(value)) continue;
      }
      const shared = this.share(value, depth + 1);
      if (isExchange(value, shared) && !this.exchange(record, key, shared) && shared !== value) unique = true;
      unique ||= this.unique;
      weight += this.weight;
      hash = mix(mix(hash, hashKey(key)), this.hash);
    }
    return this.known(record, hash, unique, weight);
  }

  private shareArray(array: unknown[], depth: number): object {
    let hash = ARRAY_SEED;
    let unique = false;
    let weight = VALUE_WEIGHT;
    for (let at = 0; at < array.length; at++) {
      const value = array[at];
      const shared = this.share(value, depth + 1);
      if (isExchange(value, shared) && !this.exchange(array as unknown as Dictionary, at, shared) && shared !== value) unique = true;
      unique ||= this.unique;
      weight += this.weight;
      hash = mix(hash, this.hash);
    }
    return this.known(array, hash, unique, weight);
  }

  /** Returns the equal part known from before, or this one, frozen and remembered. */
  private known(part: object, hash: number, unique: boolean, weight: number): object {
    this.hash = hash;
    this.weight = weight;
    this.unique = unique || weight > HEAVIEST_PART;
    if (this.unique) return Object.freeze(part);
    const { parts } = this;
    const at = ((hash ^ (hash >>> 16)) & this.mask) << 1;
    const first = parts[at];
    if (first !== undefined && (first === part || equalParts(first, part))) return first;
    const second = parts[at + 1];
    if (second !== undefined && (second === part || equalParts(second, part))) {
      parts[at + 1] = first;
      parts[at] = second;
      return second;
    }
    parts[at + 1] = Object.freeze(part);
    return part;
  }
}
