/** Decides whether one object could match two selectors. @see spec/sidecarset.md 4.5 */
import { addToList, type LabelSelector, type LabelSelectorExpression } from '@kruise/objects';

export type Selector = LabelSelector | null | undefined;

/** The values that a selector accepts for a key: some, or any. */
type Wanted = ReadonlyMap<string, ReadonlySet<string> | 'Any'>;

const expressionsOf = (selector: LabelSelector): readonly LabelSelectorExpression[] => selector.matchExpressions ?? [];

function wantedBy(selector: LabelSelector): Wanted {
  const wanted = new Map<string, Set<string> | 'Any'>(
    Object.entries(selector.matchLabels ?? {}).map(([key, value]) => [key, new Set([value])]),
  );
  for (const { key, operator, values = [] } of expressionsOf(selector)) {
    const present = wanted.get(key) ?? new Set<string>();
    if (operator === 'Exists') wanted.set(key, 'Any');
    if (operator !== 'In' || present === 'Any') continue;
    for (const value of values) present.add(value);
    wanted.set(key, present);
  }
  return wanted;
}

/**
 * Sets of values that selectors name for one key. They are found by value, so the cost of a query is bounded by the smaller of its own size and the
 * stored size; only values that many sets share, without one that all of them have, are looked up in each.
 */
class ValueSets {
  readonly #sets: ReadonlySet<string>[] = [];
  readonly #places = new Map<string, number[]>();
  #entries = 0;

  add(values: readonly string[]): void {
    const set = new Set(values);
    for (const value of set) {
      addToList(this.#places, value, this.#sets.length);
    }
    this.#entries += set.size;
    this.#sets.push(set);
  }

  /** Returns which sets contain each of the values. */
  #placesOf(values: ReadonlySet<string>): readonly (readonly number[])[] {
    return [...values].map((value) => this.#places.get(value) ?? []);
  }

  /** Returns whether every set contains some of the values. */
  allHaveSomeOf(values: ReadonlySet<string>): boolean {
    const count = this.#sets.length;
    if (this.#entries <= values.size) return this.#sets.every((set) => [...set].some((value) => values.has(value)));
    const places = this.#placesOf(values);
    if (places.some(({ length }) => length === count)) return true;
    if (places.reduce((sum, { length }) => sum + length, 0) < count) return false;
    const met = new Uint8Array(count);
    for (const place of places.flat()) met[place] = 1;
    return !met.includes(0);
  }

  /** Returns whether a set contains all of the values. */
  someHasAllOf(values: ReadonlySet<string>): boolean {
    const hasAll = (set: ReadonlySet<string> | undefined): boolean =>
      set !== undefined && values.size <= set.size && [...values].every((value) => set.has(value));
    if (this.#entries <= values.size) return this.#sets.some(hasAll);
    const [fewest] = this.#placesOf(values).toSorted((a, b) => a.length - b.length);
    return fewest === undefined || fewest.some((place) => hasAll(this.#sets[place]));
  }
}

/** What a selector requires of a key. */
interface Demand {
  exists: boolean;
  absent: boolean;
  readonly among: ValueSets;
  readonly outside: ValueSets;
}
type Demands = ReadonlyMap<string, Readonly<Demand>>;

function demandsOf(selector: LabelSelector): Demands {
  const demands = new Map<string, Demand>();
  const of = (key: string): Demand => {
    const demand = demands.get(key) ?? { exists: false, absent: false, among: new ValueSets(), outside: new ValueSets() };
    demands.set(key, demand);
    return demand;
  };
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) of(key).among.add([value]);
  for (const { key, operator, values = [] } of expressionsOf(selector)) {
    if (operator === 'Exists') of(key).exists = true;
    if (operator === 'DoesNotExist') of(key).absent = true;
    if (operator === 'In') of(key).among.add(values);
    if (operator === 'NotIn') of(key).outside.add(values);
  }
  return demands;
}

const refuses = ({ absent, among, outside }: Demand, held: ReadonlySet<string> | 'Any'): boolean =>
  absent || (held !== 'Any' && (!among.allHaveSomeOf(held) || outside.someHasAllOf(held)));

const contradict = ({ demands, mustExist }: ReadSelector, { wanted }: ReadSelector): boolean => {
  // By the keys of the smaller one.
  const common = demands.size < wanted.size ? [...demands.keys()] : [...wanted.keys()];
  let existing = 0;
  for (const key of common) {
    const [demand, held] = [demands.get(key), wanted.get(key)];
    if (demand === undefined || held === undefined) continue;
    if (refuses(demand, held)) return true;
    if (demand.exists) existing++;
  }
  return existing < mustExist;
};

/** A selector that is compared with many others. */
export interface ReadSelector {
  readonly wanted: Wanted;
  readonly demands: Demands;
  /** How many keys must exist, with any value. */
  readonly mustExist: number;
}

/** Reads a selector, undefined for an absent one, which matches everything. */
export function readSelector(selector: Selector): ReadSelector | undefined {
  if (selector === undefined || selector === null) return undefined;
  const demands = demandsOf(selector);
  return { wanted: wantedBy(selector), demands, mustExist: [...demands.values()].filter(({ exists }) => exists).length };
}

/** Returns whether one object could match both, as far as the selectors show. */
export const mayOverlap = (a: ReadSelector | undefined, b: ReadSelector | undefined): boolean =>
  a === undefined || b === undefined || !(contradict(b, a) || contradict(a, b));
