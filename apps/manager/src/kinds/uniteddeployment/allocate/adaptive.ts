/** As by limits, but that a subset which finds no nodes keeps what runs there, and gets no more. Pure. @see spec/uniteddeployment.md 5.4, allocator A */
import { fillInOrder } from './elastic.ts';
import { limitsOfAll, type Limits } from './limits.ts';
import { allocated, type Allocation, type SubsetSeen } from './subset.ts';

/** Running Pods are not taken away to honour the order; the least of an unschedulable subset stays with it, though it waits. */
function adapted({ child, isUnschedulable }: SubsetSeen, { min, max }: Limits): Limits {
  if (child === undefined) return { min, max };
  const { readyReplicas } = child;
  if (isUnschedulable) return { min: Math.max(readyReplicas, min), max: Math.min(readyReplicas, max) };
  return readyReplicas > min ? { min: Math.min(readyReplicas, max), max } : { min, max };
}

export function allocateAdaptively(subsets: readonly SubsetSeen[], total: number): Allocation {
  const read = limitsOfAll(subsets, total);
  if (read.kind === 'Impossible') return read;
  const limits = subsets.map((subset, i) => adapted(subset, read.limits[i] ?? { min: 0, max: Infinity }));
  return allocated(fillInOrder(limits, total));
}
