/**
 * Remembers the result of `compute` for each object as long as the object exists, so that it is computed once however many passes and events ask.
 * For objects that are never changed, as a store holds them; a change makes another object.
 *
 * @param isKept whether the result for this object may be remembered; always when absent
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

/** {@link memoized} for a function of two objects. */
export function memoizedPair<A extends object, B extends object, V>(compute: (a: A, b: B) => V): (a: A, b: B) => V {
  const of = memoized((a: A) => memoized((b: B) => compute(a, b)));
  return (a, b) => of(a)(b);
}
