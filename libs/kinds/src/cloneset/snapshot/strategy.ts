/** The fields of a CloneSet that rules read, with absent ones filled in; an object that went past admission may lack any of them. */
import type { CloneSet } from '@kruise/api';
import { scaleIntOrPercentOr } from '@kruise/objects';
import { partitionInPods } from '@kruise/pods';
import type { PodUpdatePolicy } from '@kruise/workloads';

type RollingUpdate = NonNullable<NonNullable<CloneSet['spec']['updateStrategy']>['rollingUpdate']>;

const rollingUpdateOf = (cloneSet: CloneSet): RollingUpdate | undefined => cloneSet.spec.updateStrategy?.rollingUpdate;

export const replicasOf = (cloneSet: CloneSet): number => cloneSet.spec.replicas ?? 1;
export const minReadySecondsOf = (cloneSet: CloneSet): number => cloneSet.spec.minReadySeconds ?? 0;
export const isPaused = (cloneSet: CloneSet): boolean => rollingUpdateOf(cloneSet)?.paused === true;
export const isOnDelete = (cloneSet: CloneSet): boolean => cloneSet.spec.updateStrategy?.type === 'OnDelete';
export const graceSecondsOf = (cloneSet: CloneSet): number => rollingUpdateOf(cloneSet)?.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0;
export const reusesClaims = (cloneSet: CloneSet): boolean => cloneSet.spec.scaleStrategy?.enablePVCReuse === true;
export const priorityStrategyOf = (cloneSet: CloneSet): RollingUpdate['priorityStrategy'] => rollingUpdateOf(cloneSet)?.priorityStrategy;
export const scatterStrategyOf = (cloneSet: CloneSet): RollingUpdate['scatterStrategy'] => rollingUpdateOf(cloneSet)?.scatterStrategy;

export function podUpdatePolicyOf(cloneSet: CloneSet): PodUpdatePolicy {
  const policy = rollingUpdateOf(cloneSet)?.podUpdatePolicy;
  return policy === 'InPlaceIfPossible' || policy === 'InPlaceOnly' ? policy : 'ReCreate';
}

/** Partition in Pods, or undefined when the field holds no count and no percentage. */
export const legalPartitionOf = (cloneSet: CloneSet): number | undefined =>
  partitionInPods(rollingUpdateOf(cloneSet)?.partition ?? 0, replicasOf(cloneSet));

/**
 * Pods to keep in old revisions, 0 to replicas. A percentage rounds up, but only `100%` keeps all of them; what cannot be read keeps none.
 * @see spec/cloneset.md 5.4
 */
export const partitionOf = (cloneSet: CloneSet): number => legalPartitionOf(cloneSet) ?? 0;

/** Pods above replicas that an update or a specified deletion may make; 0 while paused. */
export const maxSurgeOf = (cloneSet: CloneSet): number =>
  isPaused(cloneSet) ? 0 : Math.max(scaleIntOrPercentOr(0, rollingUpdateOf(cloneSet)?.maxSurge ?? 0, replicasOf(cloneSet), 'up'), 0);

/**
 * Pods that may be unavailable; a percentage rounds up without surge, down with it. Absent: 20%, rounded down if rollingUpdate is missing, but at least 1:
 * with 0 no marked Pod would ever be replaced, and the user would have no field to raise.
 */
export function maxUnavailableOf(cloneSet: CloneSet): number {
  const rollingUpdate = rollingUpdateOf(cloneSet);
  const rounding = rollingUpdate === undefined || maxSurgeOf(cloneSet) > 0 ? 'down' : 'up';
  const least = rollingUpdate === undefined ? 1 : 0;
  return Math.max(scaleIntOrPercentOr(0, rollingUpdate?.maxUnavailable ?? '20%', replicasOf(cloneSet), rounding), least);
}

/** Limit on Pods that scaling out may leave unavailable; Infinity when there is none. */
export const scaleMaxUnavailableOf = (cloneSet: CloneSet): number =>
  scaleIntOrPercentOr(Number.POSITIVE_INFINITY, cloneSet.spec.scaleStrategy?.maxUnavailable, replicasOf(cloneSet), 'up');
