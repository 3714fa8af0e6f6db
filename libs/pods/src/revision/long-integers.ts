/** Integers that a double cannot represent, as revisions contain them: the original writes them as floating-point numbers. */

const largest = 2n ** 63n - 1n;
const smallest = -(2n ** 63n);

/** Returns the value with every bigint changed, at any depth; the value itself when it contains none. */
function mapLongIntegers(value: unknown, change: (integer: bigint) => unknown): unknown {
  if (typeof value === 'bigint') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list = value.map((element: unknown) => mapLongIntegers(element, change));
    return list.some((element, i) => element !== value[i]) ? list : value;
  }
  const entries = Object.entries(value).map(([name, member]) => [name, member, mapLongIntegers(member, change)] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  return Object.fromEntries(entries.map(([name, , after]) => [name, after]));
}

/**
 * Returns integers as they are after a conversion to double: `9223372036854775807` becomes `9223372036854776000`.
 *
 * @returns the value itself when it contains no long integer
 * @see spec/inplace-update.md 3.2
 */
export const withDoubles = (value: unknown): unknown => mapLongIntegers(value, Number);

/**
 * Reverses {@link withDoubles} as far as possible: an integer that a double made greater than any int64 becomes the greatest int64, so that the API
 * server accepts it.
 *
 * @returns the value itself when it contains no such integer
 */
export const withInt64 = (value: unknown): unknown =>
  mapLongIntegers(value, (integer) => (integer > largest ? largest : integer < smallest ? smallest : integer));
