/** Objects by kind and namespace, so that a file with many of them costs no comparison of each with each. */
import { compareUtf8 } from '@kruise/objects';
import type { Linted } from './linted.ts';

interface OfKind {
  readonly byName: Map<string, Linted>;
  /** By name; undefined until it is asked for. */
  sorted: readonly Linted[] | undefined;
}

/** Puts an object into its place: kinds with rivals ask for the list after each addition, and would sort all of it each time. */
function withObject(sorted: readonly Linted[], linted: Linted): readonly Linted[] {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareUtf8(sorted[middle]?.name ?? '', linted.name) < 0) from = middle + 1;
    else to = middle;
  }
  return sorted.toSpliced(from, sorted[from]?.name === linted.name ? 1 : 0, linted);
}

const keyOf = (group: string, kind: string, namespace: string): string => `${group}/${kind}/${namespace}`;

/** A later object of the same name takes the place of an earlier one. */
export class ObjectTable {
  readonly #kinds = new Map<string, OfKind>();

  add(linted: Linted): void {
    const key = keyOf(linted.group, linted.kind, linted.namespace);
    const held = this.#kinds.get(key) ?? { byName: new Map<string, Linted>(), sorted: undefined };
    held.byName.set(linted.name, linted);
    if (held.sorted !== undefined) held.sorted = withObject(held.sorted, linted);
    this.#kinds.set(key, held);
  }

  /** Returns the objects of a kind in a namespace, by name. */
  of(group: string, kind: string, namespace: string): readonly Linted[] {
    const held = this.#kinds.get(keyOf(group, kind, namespace));
    if (held === undefined) return [];
    held.sorted ??= [...held.byName.values()].sort((a, b) => compareUtf8(a.name, b.name));
    return held.sorted;
  }

  find(group: string, kind: string, namespace: string, name: string): Linted | undefined {
    return this.#kinds.get(keyOf(group, kind, namespace))?.byName.get(name);
  }
}
