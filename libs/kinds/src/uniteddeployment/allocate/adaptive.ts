/**
 * Allocates by limits, except that a subset without nodes keeps its placed Pods and gets no more. The order of filling: `minReplicas` of every
 * subset, then placed Pods, which stay even if the order of the subsets says otherwise, then `maxReplicas`. Pure.
 * @see spec/uniteddeployment.md 5.4, allocator A
 */
import { fillInOrder, leastOf, mostOf } from './elastic.ts';
import { limitsOfAll, type Limits } from './limits.ts';
import { allocated, type Allocation, type SubsetSeen } from './subset.ts';

/** Placed Pods within the limits of the subset. A subset without nodes keeps its `minReplicas`, although those Pods wait. */
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
