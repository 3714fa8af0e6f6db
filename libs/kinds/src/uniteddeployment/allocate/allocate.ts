/** How many Pods each subset is to have. Pure. @see spec/uniteddeployment.md 5.4 */
import { unreachable } from '@kruise/objects';
import { allocateAdaptively } from './adaptive.ts';
import { allocateElastic } from './elastic.ts';
import { allocateWithReserves } from './reserving.ts';
import { allocateSpecific } from './specific.ts';
import { impossible, type Allocation, type AllocationMode, type SubsetSeen } from './subset.ts';

const isElastic = ({ minReplicas, maxReplicas }: SubsetSeen): boolean => minReplicas !== undefined || maxReplicas !== undefined;

/**
 * @param subsets in the order of the spec
 * @param total `spec.replicas`
 * @returns numbers from 0, in the order of the subsets
 */
export function allocate(subsets: readonly SubsetSeen[], total: number, mode: AllocationMode): Allocation {
  // An empty list gives no Pod a place: children are not deleted for a list that a client omitted or pruned.
  if (subsets.length === 0 && total > 0)
    return impossible(`there is no subset in spec.topology.subsets for the ${total} Pods of spec.replicas`);
  switch (mode) {
    case 'Reservation':
      return allocateWithReserves(subsets, total);
    case 'Adaptive':
      return allocateAdaptively(subsets, total);
    case 'Fixed':
      return subsets.some(isElastic) ? allocateElastic(subsets, total) : allocateSpecific(subsets, total);
    default:
      return unreachable(mode);
  }
}
