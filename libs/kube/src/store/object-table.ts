/** The objects of one kind by namespace and name, and by the values of the indexes. */
import type { KubeObject, ObjectKey } from '@kruise/objects';
import type { IndexFunction, StoreQuery } from '../store.ts';

interface Index<T extends KubeObject> {
  readonly valuesOf: IndexFunction<T>;
  readonly byValue: Map<string, Set<T>>;
}

const none: readonly never[] = [];
const noLabels: Readonly<Record<string, string>> = {};

/** Compares two objects with different keys. */
const byKey = (a: KubeObject, b: KubeObject): number => {
  const [x, y] = [a.metadata, b.metadata];
  if (x.namespace !== y.namespace) return (x.namespace ?? '') < (y.namespace ?? '') ? -1 : 1;
  return x.name < y.name ? -1 : 1;
};

export class ObjectTable<T extends KubeObject> {
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #onBrokenIndex: (index: string, object: T, error: unknown) => void;
  #size = 0;

  /**
   * Creates an empty table.
   *
   * @param onBrokenIndex called for index functions that throw; their object cannot be found under that index
   */
  constructor(onBrokenIndex: (index: string, object: T, error: unknown) => void) {
    this.#onBrokenIndex = onBrokenIndex;
  }

  get size(): number {
    return this.#size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#byNamespace.get(key.namespace)?.get(key.name);
  }

  /** Replaces `previous`, the object that `get` returns for the same key, with `object`. */
  put(object: T, previous: T | undefined): void {
    const { namespace = '', name } = object.metadata;
    let names = this.#byNamespace.get(namespace);
    if (names === undefined) {
      names = new Map();
      this.#byNamespace.set(namespace, names);
    }
    names.set(name, object);
    if (previous === undefined) this.#size++;
    for (const [indexName, index] of this.#indexes) {
      if (previous !== undefined) this.#dropFrom(indexName, index, previous);
      this.#addTo(indexName, index, object);
    }
  }

  /** Removes an object. @param object as `get` returned it */
  remove(object: T): void {
    const { namespace = '', name } = object.metadata;
    const names = this.#byNamespace.get(namespace);
    if (names === undefined || !names.delete(name)) return;
    this.#size--;
    if (names.size === 0) this.#byNamespace.delete(namespace);
    for (const [indexName, index] of this.#indexes) this.#dropFrom(indexName, index, object);
  }

  *all(): Generator<T, void, void> {
    for (const names of this.#byNamespace.values()) yield* names.values();
  }

  list(query: StoreQuery | undefined): readonly T[] {
    const found: T[] = [];
    const take = (names: ReadonlyMap<string, T>): void => {
      for (const object of names.values()) if (selects(query, object)) found.push(object);
    };
    if (query?.namespace === undefined) this.#byNamespace.forEach(take);
    else take(this.#byNamespace.get(query.namespace) ?? new Map());
    return query?.sorted === true ? found.sort(byKey) : found;
  }

  byIndex(name: string, value: string, query: StoreQuery | undefined): readonly T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`index ${name} is not registered`);
    const held = index.byValue.get(value);
    if (held === undefined) return none;
    const found: T[] = [];
    for (const object of held) {
      if (query?.namespace !== undefined && object.metadata.namespace !== query.namespace) continue;
      if (selects(query, object)) found.push(object);
    }
    return query?.sorted === true ? found.sort(byKey) : found;
  }

  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    const known = this.#indexes.get(name);
    if (known !== undefined) {
      if (known.valuesOf === valuesOf) return;
      throw new Error(`index ${name} is registered already, with another function`);
    }
    const index: Index<T> = { valuesOf, byValue: new Map() };
    this.#indexes.set(name, index);
    for (const object of this.all()) this.#addTo(name, index, object);
  }

  #valuesOf(name: string, index: Index<T>, object: T): readonly string[] {
    try {
      return index.valuesOf(object);
    } catch (error) {
      this.#onBrokenIndex(name, object, error);
      return none;
    }
  }

  #addTo(name: string, index: Index<T>, object: T): void {
    for (const value of this.#valuesOf(name, index, object)) {
      const held = index.byValue.get(value);
      if (held === undefined) index.byValue.set(value, new Set([object]));
      else held.add(object);
    }
  }

  #dropFrom(name: string, index: Index<T>, object: T): void {
    for (const value of this.#valuesOf(name, index, object)) {
      const held = index.byValue.get(value);
      if (held?.delete(object) === true && held.size === 0) index.byValue.delete(value);
    }
  }
}

const selects = (query: StoreQuery | undefined, object: KubeObject): boolean =>
  query?.selector === undefined || query.selector(object.metadata.labels ?? noLabels);
