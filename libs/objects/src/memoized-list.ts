/** Results for the elements of a list of which the next version differs in a few elements. */

/** The last list of one owner, with its results. */
interface Held<T, I extends readonly unknown[], V> {
  readonly inputs: I;
  readonly list: readonly T[];
  readonly results: readonly V[];
}

const areSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, index) => one === b[index]);

const nothing = { list: [], results: [] };

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
 * Returns results for the part of a list between equal ends. An element that is the same object as in that part of the last list keeps its result if few
 * elements before it were inserted, removed or replaced at one place; it is computed otherwise.
 */
function resultsBetween<T, V>(
  part: readonly T[],
  past: { readonly list: readonly T[]; readonly results: readonly V[] },
  compute: (element: T) => V,
): V[] {
  const { list } = past;
  const results: V[] = [];
  let at = 0;
  for (let index = 0; index < part.length; index++) {
    const element = part[index]!;
    if (list[at] !== element && list[at + 1] === element) at++;
    const isSame = at < list.length && list[at] === element;
    results.push(isSame ? past.results[at]! : compute(element));
    const isInserted = !isSame && index + 1 < part.length && list[at] === part[index + 1];
    if (!isInserted) at++;
  }
  return results;
}

/**
 * Returns a function that computes a result for each element of a list, with a cache of the last list of each owner. Elements that are the same objects
 * as in that list keep their results, unless several were inserted or removed at one place before them; so the cost depends on what changed. For lists
 * of objects that never change, such as the Pods of a workload from one pass to the next.
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
    const between = isUsable
      ? { list: held.list.slice(start, held.list.length - end), results: past.slice(start, past.length - end) }
      : nothing;
    const computed = resultsBetween<T, V>(list.slice(start, list.length - end), between, (element) => compute(element, ...inputs));
    const results = computed.length === list.length ? computed : past.toSpliced(start, past.length - start - end, ...computed);
    heldBy.set(owner, { inputs, list, results });
    return results;
  };
}
