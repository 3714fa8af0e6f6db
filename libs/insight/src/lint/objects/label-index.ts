/** Finds what a selector may match, without a comparison of each selector with each set of labels. */
import { pinnedLabels } from './pins.ts';

interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
}

const keyOf = (label: string, value: string): string => `${label}=${value}`;

/** Items by each of their labels. */
export class LabelIndex<T extends Labelled> {
  readonly all: readonly T[];
  readonly #byLabel = new Map<string, T[]>();

  constructor(all: readonly T[]) {
    this.all = all;
    for (const item of all)
      for (const [label, value] of Object.entries(item.labels)) {
        const list = this.#byLabel.get(keyOf(label, value));
        if (list === undefined) this.#byLabel.set(keyOf(label, value), [item]);
        else list.push(item);
      }
  }

  /** Returns the items that have one label of the selector, in their order; all of them for a selector without labels. */
  candidates(selector: unknown): readonly T[] {
    let fewest = this.all;
    for (const [label, value] of pinnedLabels(selector)) {
      const found = this.#byLabel.get(keyOf(label, value)) ?? [];
      if (found.length < fewest.length) fewest = found;
    }
    return fewest;
  }
}
