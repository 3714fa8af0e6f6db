/** Finds objects that may be about the same Pods as another one, by the values and by the labels that their selectors require. */
import { addToList } from '@kruise/objects';
import { PinIndex, type Pins } from './pin-index.ts';
import type { NamedLabels } from './pins.ts';

/** What is known of an object before it is compared. */
export interface RivalKey extends NamedLabels {
  readonly pins: Pins;
}

/** Items by what they require. An item that requires a label is found only by objects that name the label. */
export class RivalIndex<T> {
  readonly #open = new PinIndex<T>();
  /** Items that require labels, by one of these. */
  readonly #byRequired = new Map<string, PinIndex<T>>();
  readonly #byNamed = new Map<string, T[]>();

  add({ pins, named, required }: RivalKey, item: T): void {
    const [label] = required;
    const index = label === undefined ? this.#open : (this.#byRequired.get(label) ?? new PinIndex<T>());
    if (label !== undefined) this.#byRequired.set(label, index);
    index.add(pins, item);
    for (const one of named) addToList(this.#byNamed, one, item);
  }

  /** The indexes with items that require no label, or one that the object names. */
  #indexes({ named }: RivalKey): readonly PinIndex<T>[] {
    return [this.#open, ...named.flatMap((label) => this.#byRequired.get(label) ?? [])];
  }

  /** The items that name a label which the object requires; undefined if it requires none. */
  #naming({ required }: RivalKey): readonly T[] | undefined {
    const lists = required.map((label) => this.#byNamed.get(label) ?? []);
    return lists.toSorted((a, b) => a.length - b.length)[0];
  }

  #pinCost(key: RivalKey): number {
    return this.#indexes(key).reduce((sum, index) => sum + index.cost(key.pins), 0);
  }

  /** Returns about how many items a search looks at. */
  cost(key: RivalKey): number {
    return Math.min(this.#pinCost(key), this.#naming(key)?.length ?? Infinity);
  }

  /** Returns every item that may have something in common with the object, each once, and few others. */
  candidates(key: RivalKey): readonly T[] {
    const naming = this.#naming(key);
    return naming !== undefined && naming.length <= this.#pinCost(key)
      ? naming
      : this.#indexes(key).flatMap((index) => index.candidates(key.pins));
  }
}
