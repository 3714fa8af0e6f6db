/** Results for the elements of a list of which the next version differs in a few elements. */

/** The last list of one owner, with its results. */
interface Held<T, I extends readonly unknown[], V> {
  readonly inputs: I;
  readonly list: readonly T[];
  readonly results: readonly V[];
}

const areSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

/** The equal parts of two lists. */
export interface EqualEnds {
  /** Number of elements at the start. */
  readonly start: number;
  /** Number of elements at the end that are not among those of the start. */
  readonly end: number;
}

/** Returns how many elements at the start and at the end of two lists are the same objects. */
export function equalEnds<T>(a: readonly T[], b: readonly T[]): EqualEnds {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, end };
}

/**
 * Returns a function that computes a result for each element of a list, with a cache of the last list of each owner. Elements at the start and at the
 * end that are the same objects as in that list keep their results, so the cost depends on what changed. For lists of objects that never change, such
 * as the Pods of a workload from one pass to the next.
 *
 * @param compute depends only on the element and the inputs
 * @returns results in the order of the list; the same list of results for the same list. `owner`: an object that exists as long as the lists are of
 *   use, such as the `metadata` of a workload. `inputs`: compared with those of the last call by `===`
 */
export function memoizedList<T, I extends readonly unknown[], V>(
  compute: (element: T, ...inputs: I) => V,
): (owner: object, list: readonly T[], ...inputs: I) => readonly V[] {
  const heldBy = new WeakMap<object, Held<T, I, V>>();
  return (owner, list, ...inputs) => {
    const held = heldBy.get(owner);
    const isUsable = held !== undefined && areSame(held.inputs, inputs);
    if (isUsable && held.list === list) return held.results;
    const { start, end } = isUsable ? equalEnds(held.list, list) : { start: 0, end: 0 };
    const past = isUsable ? held.results : [];
    const computed = list.slice(start, list.length - end).map((element) => compute(element, ...inputs));
    const results = computed.length === list.length ? computed : past.toSpliced(start, past.length - start - end, ...computed);
    heldBy.set(owner, { inputs, list, results });
    return results;
  };
}
