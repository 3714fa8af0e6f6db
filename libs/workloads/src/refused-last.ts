/** Objects for which the API server refused something come after the others, so that one of them does not hold them up. */

/**
 * By object (a uid, or another name that lasts): when something was last refused for it, as a count that grows. An object for which the last try
 * succeeded is absent.
 */
export type RefusedBefore = Pick<ReadonlyMap<string, number>, 'get' | 'has' | 'size'>;

/** Nothing was refused. */
export const noneRefused: RefusedBefore = new Map();

/**
 * In the order given, but objects for which something was refused come last, and of those the one that was refused last at the end: each gets its
 * turn.
 */
export const refusedLast = <T>(
  objects: readonly T[],
  subjectOf: (object: T) => string | undefined,
  refused: RefusedBefore,
): readonly T[] => {
  if (refused.size === 0) return objects;
  const refusedAt = (object: T): number => refused.get(subjectOf(object) ?? '') ?? 0;
  return objects.toSorted((a, b) => refusedAt(a) - refusedAt(b));
};
