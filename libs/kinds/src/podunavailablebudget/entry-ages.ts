/**
 * Since when the controller knows of each record of an admission, by its own clock, and which version of the budget showed it: records are written by
 * other processes, whose clocks may be wrong.
 */
import type { PodUnavailableBudget } from '@kruise/api';
import { compareResourceVersions, formatKey, keyOf, milliseconds, type Milliseconds, type ObjectKey } from '@kruise/objects';
import { entriesOf, type Entry } from './kept.ts';

interface FirstSeen {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  readonly resourceVersion: string | undefined;
}

const textOf = ({ map, pod, time }: Entry): string => `${map}/${pod}/${time}`;

/** An entry leaves with its record, and all of a budget with the budget. */
export class EntryAges {
  readonly #seen = new Map<string, ReadonlyMap<string, FirstSeen>>();

  /** Takes in the records of one copy of a budget; those that it lacks are forgotten. */
  note(budget: PodUnavailableBudget, monotonicNow: number): void {
    const key = formatKey(keyOf(budget));
    const { resourceVersion } = budget.metadata;
    const before = this.#seen.get(key);
    const seen = entriesOf(budget.status).map((entry) => {
      const text = textOf(entry);
      return [text, before?.get(text) ?? { at: monotonicNow, resourceVersion }] as const;
    });
    if (seen.length === 0) this.#seen.delete(key);
    else this.#seen.set(key, new Map(seen));
  }

  forget(budget: ObjectKey): void {
    this.#seen.delete(formatKey(budget));
  }

  #of(budget: ObjectKey, entry: Entry): FirstSeen | undefined {
    return this.#seen.get(formatKey(budget))?.get(textOf(entry));
  }

  /** 0 for a record that was never noted. */
  ageOf(budget: ObjectKey, entry: Entry, monotonicNow: number): Milliseconds {
    const first = this.#of(budget, entry);
    return milliseconds(first === undefined ? 0 : monotonicNow - first.at);
  }

  /**
   * Whether what was known at that version of the cluster may have been older than the record. Versions of objects of all kinds come from one count.
   *
   * @remarks One that cannot be compared counts as no older.
   */
  isAfter(budget: ObjectKey, entry: Entry, resourceVersion: string | undefined): boolean {
    const first = this.#of(budget, entry);
    const order = first === undefined ? undefined : compareResourceVersions(first.resourceVersion, resourceVersion);
    return first === undefined || (order !== undefined && order > 0);
  }

  /** Budgets with records. */
  get size(): number {
    return this.#seen.size;
  }
}
