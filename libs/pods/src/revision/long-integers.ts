/** Integers that a double cannot hold, as revisions hold them: the original writes them as floating-point numbers. */

const largest = 2n ** 63n - 1n;
const smallest = -(2n ** 63n);

/** Every bigint changed, at any depth; the value itself when it holds none. */
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
 * Integers as they are once they went through a double: `9223372036854775807` is written `9223372036854776000`.
 *
 * @returns the value itself when it holds no long integer
 * @see spec/inplace-update.md 3.2
 */
export const withDoubles = (value: unknown): unknown => mapLongIntegers(value, Number);

/**
 * The way back, as near as it can be: what a double made greater than any int64 is the greatest of them again, so that the API server takes it.
 *
 * @returns the value itself when it holds no such integer
 */
export const withInt64 = (value: unknown): unknown =>
  mapLongIntegers(value, (integer) => (integer > largest ? largest : integer < smallest ? smallest : integer));
