/** Finds objects that may be about the same Pods, without a comparison of each with each. */

/**
 * The values that an object requires of its Pods, by key. Two objects that require different values of one key have nothing in common; a key
 * that only one of them has says nothing.
 */
export type Pins = ReadonlyMap<string, string>;

/** What has the same keys. */
interface Group<T> {
  readonly all: T[];
  /** By key, then by value. */
  readonly byValue: ReadonlyMap<string, Map<string, T[]>>;
}

const signatureOf = (pins: Pins): string => JSON.stringify([...pins.keys()].sort());

function put<T>(lists: Map<string, T[]> | undefined, value: string, item: T): void {
  const list = lists?.get(value);
  if (list === undefined) lists?.set(value, [item]);
  else list.push(item);
}

/** Items by what they require. */
export class PinIndex<T> {
  readonly #groups = new Map<string, Group<T>>();

  add(pins: Pins, item: T): void {
    const signature = signatureOf(pins);
    const group = this.#groups.get(signature) ?? {
      all: [],
      byValue: new Map([...pins.keys()].map((key) => [key, new Map<string, T[]>()])),
    };
    this.#groups.set(signature, group);
    group.all.push(item);
    for (const [key, value] of pins) put(group.byValue.get(key), value, item);
  }

  /** Returns the items that no key excludes by one comparison: every item that has something in common, and few others. */
  candidates(pins: Pins): readonly T[] {
    return [...this.#groups.values()].flatMap((group) => {
      let fewest: readonly T[] = group.all;
      for (const [key, value] of pins) {
        const values = group.byValue.get(key);
        const found = values === undefined ? undefined : (values.get(value) ?? []);
        if (found !== undefined && found.length < fewest.length) fewest = found;
      }
      return fewest;
    });
  }
}
