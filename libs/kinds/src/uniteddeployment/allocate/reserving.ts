/**
 * Pods that wait for a node stay where they are, and do not use the total up: the subsets behind get substitutes for them. Pure.
 *
 * A subset has room for the Pods of it that run. What it is given beyond is expected to wait, and is given to the others once more.
 * @see spec/uniteddeployment.md 5.4, allocator R
 */
import { limitsOfAll } from './limits.ts';
import { allocated, type Allocation, type SubsetSeen } from './subset.ts';

/** Pods that the subset can be given and that will run: all, unless it is short of nodes or was so a moment ago. */
function roomOf({ child, isUnschedulable, isMarked }: SubsetSeen): number {
  const isFree = child === undefined || (!isUnschedulable && !isMarked);
  return isFree ? Infinity : child.replicas - child.reserved;
}

export function allocateWithReserves(subsets: readonly SubsetSeen[], total: number): Allocation {
  const read = limitsOfAll(subsets, total);
  if (read.kind === 'Impossible') return read;
  const { limits } = read;
  const given = subsets.map((subset) => ({ allocated: 0, room: roomOf(subset) }));
  let remaining = total;
  const giveUpTo = (wanted: (subset: SubsetSeen, at: number) => number): void => {
    for (const [at, subset] of subsets.entries()) {
      const place = given[at];
      if (place === undefined || remaining <= 0) return;
      const added = Math.min(wanted(subset, at) - place.allocated, remaining);
      place.allocated += added;
      place.room -= added;
      remaining -= place.room < 0 ? Math.max(0, added + place.room) : added;
    }
  };
  giveUpTo((_subset, at) => limits[at]?.min ?? 0);
  giveUpTo(({ child, isUnschedulable }, at) => {
    const { min, max } = limits[at] ?? { min: 0, max: Infinity };
    return isUnschedulable && child !== undefined ? Math.max(min, Math.min(child.replicas, max)) : max;
  });
  return allocated(given.map((place) => place.allocated));
}
