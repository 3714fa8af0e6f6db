/** How many Pods there should be, and how many of them must be available. Pure. @see spec/podunavailablebudget.md 5.2, 5.3 */
import { memberAt, scaleIntOrPercent } from '@kruise/objects';
import type { PodUnavailableBudget } from '@kruise/api';

/** A workload of which Pods are under the budget. */
export interface CountedWorkload {
  /** Undefined if unknown. */
  readonly replicas: number | undefined;
  /** Its active Pods under the budget. */
  readonly pods: number;
}

/** The replicas of all workloads together; one that does not say counts its Pods. */
export const totalOf = (workloads: readonly CountedWorkload[]): number =>
  workloads.reduce((sum, { replicas, pods }) => sum + (replicas ?? pods), 0);

export type Desired = { readonly kind: 'Desired'; readonly value: number } | { readonly kind: 'Failed'; readonly why: string };

/** @param total of which percentages are taken, rounded up */
export function desiredAvailable({ spec }: PodUnavailableBudget, total: number): Desired {
  const [most, least] = ['maxUnavailable', 'minAvailable'].map((member) => memberAt(spec, member) ?? undefined);
  const path = most === undefined ? 'spec.minAvailable' : 'spec.maxUnavailable';
  const scaled = scaleIntOrPercent(most ?? least, total, 'up', { fractions: false });
  if (scaled.kind === 'Illegal') return { kind: 'Failed', why: `${path}: ${scaled.why}` };
  return { kind: 'Desired', value: Math.max(0, most === undefined ? scaled.value : total - scaled.value) };
}
