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
