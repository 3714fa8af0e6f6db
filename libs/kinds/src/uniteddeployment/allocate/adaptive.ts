/**
 * As by limits, but that a subset which finds no nodes keeps what has a place there, and gets no more; between the least of all and the most of all
 * comes what has a place, which is not taken away to honour the order. Pure.
 * @see spec/uniteddeployment.md 5.4, allocator A
 */
import { fillInOrder, leastOf, mostOf } from './elastic.ts';
import { limitsOfAll, type Limits } from './limits.ts';
import { allocated, type Allocation, type SubsetSeen } from './subset.ts';

/** What has a place, as far as the subset may have it. The least of one without nodes stays with it, though it waits. */
const keptOf = ({ child }: SubsetSeen, { min, max }: Limits): number => Math.max(min, Math.min(child?.kept ?? 0, max));

export function allocateAdaptively(subsets: readonly SubsetSeen[], total: number): Allocation {
  const read = limitsOfAll(subsets, total);
  if (read.kind === 'Impossible') return read;
  const { limits } = read;
  const kept = limits.map((own, at) => keptOf(subsets[at] as SubsetSeen, own));
  const isShort = ({ child, isUnschedulable }: SubsetSeen): boolean => isUnschedulable && child !== undefined;
  const most = mostOf(limits).map((max, at) => (isShort(subsets[at] as SubsetSeen) ? (kept[at] ?? 0) : max));
  return allocated(fillInOrder([leastOf(limits), kept, most], total));
}
