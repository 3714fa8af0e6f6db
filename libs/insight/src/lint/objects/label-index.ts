/** Finds what a selector may match, without a comparison of each selector with each set of labels. */
import { addToList } from '@kruise/objects';
import { existingLabels, pinnedLabels } from './pins.ts';

interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
}

const keyOf = (label: string, value: string): string => `${label}=${value}`;

/** Items by each of their labels. */
export class LabelIndex<T extends Labelled> {
  readonly all: readonly T[];
  /** Places of items, in ascending order. */
  readonly #byValue = new Map<string, number[]>();
  readonly #byLabel = new Map<string, number[]>();

  constructor(all: readonly T[]) {
    this.all = all;
    for (const [place, { labels }] of all.entries())
      for (const [label, value] of Object.entries(labels)) {
        addToList(this.#byValue, keyOf(label, value), place);
        addToList(this.#byLabel, label, place);
      }
  }

  /** An item has one value of a label, so no place occurs twice. */
  #placesOf(label: string, values: readonly string[]): readonly number[] {
    const lists = [...new Set(values)].map((value) => this.#byValue.get(keyOf(label, value)) ?? []);
    const [only = []] = lists;
    return lists.length === 1 ? only : lists.flat().sort((a, b) => a - b);
  }

  /** Returns the items that meet one requirement of the selector, in their order; all of them for a selector that requires no label. */
  candidates(selector: unknown): readonly T[] {
    const found = [
      ...[...pinnedLabels(selector)].map(([label, values]) => this.#placesOf(label, values)),
      ...existingLabels(selector).map((label) => this.#byLabel.get(label) ?? []),
    ];
    const [fewest] = found.toSorted((a, b) => a.length - b.length);
    return fewest === undefined ? this.all : fewest.flatMap((place) => this.all[place] ?? []);
  }
}
