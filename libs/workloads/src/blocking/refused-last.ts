/** Orders objects with a refused write after the others, so that one of them does not delay them. */

/**
 * By object (a uid, or another permanent name): when a write for it was last refused, as an increasing count. An object whose last attempt succeeded
 * is absent.
 */
export type RefusedBefore = Pick<ReadonlyMap<string, number>, 'get' | 'has' | 'size'>;

/** Nothing was refused. */
export const noneRefused: RefusedBefore = new Map();

/** The actions for which a Pod, or the node that it is for, has its turn, in every kind whose Pods have names of their own. */
export const turnsOfPods = ['AdoptPod', 'CreatePod', 'DeletePod', 'SetLifecycle', 'UpdatePodInPlace', 'ResizePod'] as const;

/**
 * Returns the items in the given order, but those with a refused write last, and of those the one that was refused last at the end, so that each gets
 * its turn.
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
