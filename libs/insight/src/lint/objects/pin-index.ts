/** Finds objects that may be about the same Pods, without a comparison of each with each. */
import { addToList } from '@kruise/objects';

/**
 * The values of which an object requires one of its Pods, by key; each list has one value or more. Two objects without a common value of one key have
 * nothing in common; a key that only one of them has says nothing.
 */
export type Pins = ReadonlyMap<string, readonly string[]>;

/** What has the same keys. */
interface Group<T> {
  readonly all: T[];
  /** By key, then by value. */
  readonly byValue: ReadonlyMap<string, Map<string, T[]>>;
}

/** What is known of one key in all groups. */
interface OfKey<T> {
  readonly name: string;
  readonly byValue: Map<string, T[]>;
  groups: number;
  /** The groups without the key among the first `seen` ones. */
  readonly without: Group<T>[];
  seen: number;
}

/** The key by which a search begins. */
interface Start<T> {
  readonly found: readonly T[];
  readonly key: OfKey<T>;
  /** Items and groups to look at. */
  readonly cost: number;
}

const signatureOf = (pins: Pins): string => JSON.stringify([...pins.keys()].sort());

/** Returns the items that have one of the values, each once. */
function foundAt<T>(byValue: ReadonlyMap<string, readonly T[]>, values: readonly string[]): readonly T[] {
  const [only = ''] = values;
  return values.length === 1 ? (byValue.get(only) ?? []) : [...new Set(values.flatMap((value) => byValue.get(value) ?? []))];
}

/**
 * Items by what they require. A search costs about as much as it finds if one key of the object separates it from most others, whatever other keys
 * they have.
 */
export class PinIndex<T> {
  readonly #bySignature = new Map<string, Group<T>>();
  readonly #groups: Group<T>[] = [];
  readonly #keys = new Map<string, OfKey<T>>();

  add(pins: Pins, item: T): void {
    const group = this.#groupOf(pins);
    group.all.push(item);
    for (const [key, values] of pins) {
      const indexes = [group.byValue.get(key), this.#keys.get(key)?.byValue].filter((one) => one !== undefined);
      for (const value of new Set(values)) for (const index of indexes) addToList(index, value, item);
    }
  }

  #groupOf(pins: Pins): Group<T> {
    const signature = signatureOf(pins);
    const existing = this.#bySignature.get(signature);
    if (existing !== undefined) return existing;
    const group = { all: [], byValue: new Map([...pins.keys()].map((key) => [key, new Map<string, T[]>()])) };
    this.#bySignature.set(signature, group);
    this.#groups.push(group);
    for (const key of pins.keys()) {
      const known = this.#keys.get(key) ?? { name: key, byValue: new Map<string, T[]>(), groups: 0, without: [], seen: 0 };
      known.groups++;
      this.#keys.set(key, known);
    }
    return group;
  }

  /** Undefined when no item has a key of the object. */
  #startOf(pins: Pins): Start<T> | undefined {
    let best: Start<T> | undefined;
    for (const [name, values] of pins) {
      const key = this.#keys.get(name);
      if (key === undefined) continue;
      const found = foundAt(key.byValue, values);
      const cost = found.length + this.#groups.length - key.groups;
      if (best === undefined || cost < best.cost) best = { found, key, cost };
    }
    return best;
  }

  /** Remembers them for a key that most groups have: there are few such keys. */
  #groupsWithout(key: OfKey<T>): readonly Group<T>[] {
    const isWithout = ({ byValue }: Group<T>): boolean => !byValue.has(key.name);
    if (key.groups < this.#groups.length / 2) return this.#groups.filter(isWithout);
    key.without.push(...this.#groups.slice(key.seen).filter(isWithout));
    key.seen = this.#groups.length;
    return key.without;
  }

  /** Returns how many items and groups a search looks at, before what it finds in these groups. */
  cost(pins: Pins): number {
    return this.#startOf(pins)?.cost ?? this.#groups.length;
  }

  /** Returns the items that no key excludes by one comparison: every item that has something in common, and few others. */
  candidates(pins: Pins): readonly T[] {
    const start = this.#startOf(pins);
    const groups = start === undefined ? this.#groups : this.#groupsWithout(start.key);
    return [...(start?.found ?? []), ...groups.flatMap((group) => fewestOf(group, pins))];
  }
}

function fewestOf<T>(group: Group<T>, pins: Pins): readonly T[] {
  let fewest: readonly T[] = group.all;
  for (const [key, values] of pins) {
    const byValue = group.byValue.get(key);
    const found = byValue === undefined ? undefined : foundAt(byValue, values);
    if (found !== undefined && found.length < fewest.length) fewest = found;
  }
  return fewest;
}
