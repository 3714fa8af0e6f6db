/**
 * Since when the controller knows of each record of an admission, by its own clock, and which version of the budget showed it: records are written by
 * other processes, whose clocks may be wrong.
 */
import { compareResourceVersions, milliseconds, type Milliseconds } from '@kruise/objects';
import type { PodUnavailableBudget } from '@kruise/api';
import { entriesOf, type Entry } from './kept.ts';

interface FirstSeen {
  /** Milliseconds of a clock that only goes forward. */
  readonly at: number;
  readonly resourceVersion: string | undefined;
}

const textOf = ({ map, pod, time }: Entry): string => `${map}/${pod}/${time}`;

/** An entry leaves with its record, and all of a budget with the budget. */
export class EntryAges {
  readonly #seen = new Map<string, ReadonlyMap<string, FirstSeen>>();

  /** Takes in the records of one copy of a budget; those that it lacks are forgotten. */
  note({ metadata, status }: PodUnavailableBudget, monotonicNow: number): void {
    const { uid = '', resourceVersion } = metadata;
    const before = this.#seen.get(uid);
    const seen = entriesOf(status).map((entry) => {
      const text = textOf(entry);
      return [text, before?.get(text) ?? { at: monotonicNow, resourceVersion }] as const;
    });
    if (seen.length === 0) this.#seen.delete(uid);
    else this.#seen.set(uid, new Map(seen));
  }

  forget(uid: string): void {
    this.#seen.delete(uid);
  }

  /** 0 for a record that was never noted. */
  ageOf(uid: string, entry: Entry, monotonicNow: number): Milliseconds {
    const first = this.#seen.get(uid)?.get(textOf(entry));
    return milliseconds(first === undefined ? 0 : monotonicNow - first.at);
  }

  /**
   * Whether what was known at that version of the cluster may have been older than the record. Versions of objects of all kinds come from one count.
   *
   * @remarks One that cannot be compared counts as no older.
   */
  isAfter(uid: string, entry: Entry, resourceVersion: string | undefined): boolean {
    const first = this.#seen.get(uid)?.get(textOf(entry));
    const order = first === undefined ? undefined : compareResourceVersions(first.resourceVersion, resourceVersion);
    return first === undefined || (order !== undefined && order > 0);
  }

  /** Budgets with records. */
  get size(): number {
    return this.#seen.size;
  }
}
