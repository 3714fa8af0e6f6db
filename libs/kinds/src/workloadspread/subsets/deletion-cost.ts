/** Which Pods leave first when the workload shrinks: those of the last subset, and before them what a subset has too many. Pure. @see spec/workloadspread.md 5.5 */
import { annotations, type WorkloadSpread } from '@kruise/api';
import { isPodActive, type Pod } from '@kruise/objects';
import { rankSurplus } from '@kruise/pods';
import { unlimited } from './replicas.ts';

/** Kinds whose controllers look at the cost. */
const orderedKinds = ['ReplicaSet', 'Deployment', 'CloneSet'];

export const hasDeletionCosts = ({ spec }: Pick<WorkloadSpread, 'spec'>): boolean => orderedKinds.includes(spec.targetRef.kind);

/** Of Pods for which the subset has room. @param place of the subset in the order of the spec, from 0 */
export const costWithin = (place: number, subsetCount: number): number => 100 * (subsetCount - place);
const costBeyond = (place: number): number => -100 * (place + 1);

export interface SubsetPods {
  /** -1 without a limit. */
  readonly limit: number;
  readonly pods: readonly Pod[];
}

/**
 * The cost of every active Pod of one version.
 *
 * @param subsets in the order of the spec
 * @param outside Pods that are in none of them
 * @param isCurrent whether new Pods are of this version; others shrink from the first subset
 */
export function deletionCosts(subsets: readonly SubsetPods[], outside: readonly Pod[], isCurrent: boolean): ReadonlyMap<Pod, number> {
  const count = subsets.length;
  const costs = new Map<Pod, number>();
  for (const [index, { limit, pods }] of subsets.entries()) {
    const place = isCurrent ? index : count - 1 - index;
    const active = pods.filter(isPodActive);
    const surplus = limit === unlimited ? 0 : Math.max(0, active.length - limit);
    const ranked = surplus === 0 ? active : rankSurplus(active);
    ranked.forEach((pod, rank) => costs.set(pod, rank < surplus ? costBeyond(place) : costWithin(place, count)));
  }
  for (const pod of outside.filter(isPodActive)) costs.set(pod, costBeyond(count));
  return costs;
}

export const costOf = (pod: Pod): string | undefined => pod.metadata.annotations?.[annotations.podDeletionCost];
