/** Objects by kind and namespace, so that a file with many of them costs no comparison of each with each. */
import { compareUtf8, type JsonObject } from '@kruise/objects';
import type { Linted } from './linted.ts';
import { PinIndex } from './pin-index.ts';
import { pinsOf } from './pins.ts';

interface OfKind {
  readonly byName: Map<string, Linted>;
  readonly rivals: PinIndex<Linted>;
  /** By name; undefined until it is requested. */
  sorted: readonly Linted[] | undefined;
}

const keyOf = (group: string, kind: string, namespace: string): string => `${group}/${kind}/${namespace}`;

const byName = (a: Linted, b: Linted): number => compareUtf8(a.name, b.name);

/** A later object of the same name takes the place of an earlier one. */
export class ObjectTable {
  readonly #kinds = new Map<string, OfKind>();

  add(linted: Linted): void {
    const key = keyOf(linted.group, linted.kind, linted.namespace);
    const held = this.#kinds.get(key) ?? { byName: new Map<string, Linted>(), rivals: new PinIndex<Linted>(), sorted: undefined };
    held.byName.set(linted.name, linted);
    held.rivals.add(pinsOf(linted.kind, linted.object), linted);
    held.sorted = undefined;
    this.#kinds.set(key, held);
  }

  /** Returns the objects of a kind in a namespace, by name. */
  of(group: string, kind: string, namespace: string): readonly Linted[] {
    const held = this.#kinds.get(keyOf(group, kind, namespace));
    if (held === undefined) return [];
    held.sorted ??= [...held.byName.values()].sort(byName);
    return held.sorted;
  }

  /** Returns the objects of a kind in a namespace that may be about the same Pods as the given one, by name. */
  rivals({ group, kind, namespace }: Pick<Linted, 'group' | 'kind' | 'namespace'>, object: JsonObject): readonly Linted[] {
    const held = this.#kinds.get(keyOf(group, kind, namespace));
    if (held === undefined) return [];
    return held.rivals
      .candidates(pinsOf(kind, object))
      .filter((one) => held.byName.get(one.name) === one)
      .sort(byName);
  }

  find(group: string, kind: string, namespace: string, name: string): Linted | undefined {
    return this.#kinds.get(keyOf(group, kind, namespace))?.byName.get(name);
  }
}
