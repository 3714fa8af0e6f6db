/** Finds objects that may conflict about something, without a comparison of each with each. */
import { addToList } from '@kruise/objects';
import type { ConflictSubject } from '@kruise/api';

/** What has one key. */
interface OfKey<T> {
  readonly byValue: Map<string | undefined, T[]>;
  count: number;
}

/** Items by what they may conflict about. A search costs about as much as it finds. */
export class SubjectIndex<T> {
  readonly #keys = new Map<string, OfKey<T>>();

  add(subjects: readonly ConflictSubject[], item: T): void {
    for (const { key, value } of subjects) {
      const known = this.#keys.get(key) ?? { byValue: new Map<string | undefined, T[]>(), count: 0 };
      addToList(known.byValue, value, item);
      known.count++;
      this.#keys.set(key, known);
    }
  }

  #listsOf({ key, value }: ConflictSubject): readonly (readonly T[])[] {
    const entries = [...(this.#keys.get(key)?.byValue ?? [])];
    return entries.filter(([other]) => value === undefined || other !== value).map(([, list]) => list);
  }

  /** Returns how many items a search finds at most. */
  cost(subjects: readonly ConflictSubject[]): number {
    return subjects.reduce((sum, { key, value }) => {
      const known = this.#keys.get(key);
      const same = value === undefined ? 0 : (known?.byValue.get(value)?.length ?? 0);
      return sum + (known?.count ?? 0) - same;
    }, 0);
  }

  /** Returns the items with which there may be a conflict, each once. */
  candidates(subjects: readonly ConflictSubject[]): readonly T[] {
    return [...new Set(subjects.flatMap((subject) => this.#listsOf(subject).flat()))];
  }
}
