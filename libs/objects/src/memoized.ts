/**
 * Returns `compute` with a cache: the result is remembered as long as the object exists, so it is computed once for any number of passes and events.
 * For objects that never change, such as those of a store, in which a change creates another object.
 *
 * @param isKept returns whether the result for this object may be remembered. Default: always
 */
export function memoized<K extends object, V>(compute: (key: K) => V, isKept: (key: K) => boolean = () => true): (key: K) => V {
  const results = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const held = results.get(key);
    if (held !== undefined) return held.value;
    const value = compute(key);
    if (isKept(key)) results.set(key, { value });
    return value;
  };
}

/** Returns a function of two objects with a cache, as {@link memoized} does. */
export function memoizedPair<A extends object, B extends object, V>(compute: (a: A, b: B) => V): (a: A, b: B) => V {
  const of = memoized((a: A) => memoized((b: B) => compute(a, b)));
  return (a, b) => of(a)(b);
}

/** The rule by which the result for an object is reused. */
export interface MemoRule<K, A, I, V> {
  /** Returns the members of the argument that decide the result. Nothing else of it is kept. */
  readonly inputsOf: (argument: A) => I;
  /** Returns whether the argument has these members. */
  readonly hasInputs: (argument: A, inputs: I) => boolean;
  /** Returns whether the result may be remembered. */
  readonly isKept: (value: V, key: K, argument: A) => boolean;
}

/** Returns a function of an object and an argument with a cache of one result for each object: the latest that may be remembered. */
export function memoizedWith<K extends object, A, I, V>(
  compute: (key: K, argument: A) => V,
  { inputsOf, hasInputs, isKept }: MemoRule<K, A, I, V>,
): (key: K, argument: A) => V {
  const results = new WeakMap<K, { readonly inputs: I; readonly value: V }>();
  return (key, argument) => {
    const held = results.get(key);
    if (held !== undefined && hasInputs(argument, held.inputs)) return held.value;
    const value = compute(key, argument);
    if (isKept(value, key, argument)) results.set(key, { inputs: inputsOf(argument), value });
    return value;
  };
}
