/** Fills `minReplicas` of every subset first, then `maxReplicas`, in the order of the subsets. Pure. @see spec/uniteddeployment.md 5.4, allocator M */
import { limitsOfAll, type Limits } from './limits.ts';
import { allocated, type Allocation, type SubsetSeen } from './subset.ts';

/**
 * Replicas beyond the limits of all subsets are not allocated.
 *
 * @param levels each with a number for every subset, no lower than the level before: every subset is filled up to the first, then up to the next
 */
export function fillInOrder(levels: readonly (readonly number[])[], total: number): readonly number[] {
  let remaining = total;
  const take = (wanted: number): number => {
    const taken = Math.min(wanted, remaining);
    remaining -= taken;
    return taken;
  };
  return levels.reduce<readonly number[]>((given, level) => level.map((wanted, at) => filled(wanted, given[at] ?? 0, take)), []);
}

/** With nothing left a subset keeps what a level before has given it. */
const filled = (wanted: number, given: number, take: (wanted: number) => number): number => given + take(Math.max(wanted - given, 0));

/** `minReplicas` of every subset, and `maxReplicas`. */
export const leastOf = (limits: readonly Limits[]): readonly number[] => limits.map(({ min }) => min);
export const mostOf = (limits: readonly Limits[]): readonly number[] => limits.map(({ max }) => max);

export function allocateElastic(subsets: readonly SubsetSeen[], total: number): Allocation {
  const read = limitsOfAll(subsets, total);
  return read.kind === 'Impossible' ? read : allocated(fillInOrder([leastOf(read.limits), mostOf(read.limits)], total));
}
