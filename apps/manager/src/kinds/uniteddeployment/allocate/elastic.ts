/** The least of every subset first, then the most, in the order of the subsets. Pure. @see spec/uniteddeployment.md 5.4, allocator M */
import { limitsOfAll, type Limits } from './limits.ts';
import { allocated, type Allocation, type SubsetSeen } from './subset.ts';

/** What is beyond all that subsets may have stays where it is: with nobody. */
export function fillInOrder(limits: readonly Limits[], total: number): readonly number[] {
  let remaining = total;
  const take = (wanted: number): number => {
    const taken = Math.max(Math.min(wanted, remaining), 0);
    remaining -= taken;
    return taken;
  };
  const least = limits.map(({ min }) => take(min));
  return limits.map(({ min, max }, i) => (least[i] ?? 0) + take(max - min));
}

export function allocateElastic(subsets: readonly SubsetSeen[], total: number): Allocation {
  const read = limitsOfAll(subsets, total);
  return read.kind === 'Impossible' ? read : allocated(fillInOrder(read.limits, total));
}
