/** The fields of a DaemonSet that rules read, with absent ones filled in; an object that went past admission may lack any of them. */
import type { DaemonSet } from '@kruise/api';
import { labelMatcherOrNothing, parseIntOrPercent, scaleIntOrPercent, type LabelMatcher, type Rounding } from '@kruise/objects';
import type { PodUpdatePolicy } from '@kruise/workloads';

type RollingUpdate = NonNullable<NonNullable<DaemonSet['spec']['updateStrategy']>['rollingUpdate']>;

const rollingUpdateOf = ({ spec }: DaemonSet): RollingUpdate | undefined => spec.updateStrategy?.rollingUpdate ?? undefined;

export const isOnDelete = ({ spec }: DaemonSet): boolean => spec.updateStrategy?.type === 'OnDelete';
/** Stops updates alone: Pods are created and deleted all the same. */
export const isPaused = (set: DaemonSet): boolean => rollingUpdateOf(set)?.paused === true;
export const minReadySecondsOf = ({ spec }: DaemonSet): number => spec.minReadySeconds ?? 0;
export const isPartitionedScaling = ({ spec }: DaemonSet): boolean => spec.scaleStrategy?.partitionedScaling === true;
/** Members of a rolling update that are left over do not count with OnDelete. */
export const isInPlace = (set: DaemonSet): boolean => !isOnDelete(set) && rollingUpdateOf(set)?.rollingUpdateType === 'InPlaceIfPossible';
export const podUpdatePolicyOf = (set: DaemonSet): PodUpdatePolicy => (isInPlace(set) ? 'InPlaceIfPossible' : 'ReCreate');

/** Percentages are whole numbers, as admission reads them. */
const wholePercent = { fractions: false };

/** Absent and unreadable values are 0, as are negative ones. */
function countOf(value: unknown, nodes: number, rounding: Rounding): number {
  const scaled = scaleIntOrPercent(value ?? undefined, nodes, rounding, wholePercent);
  return scaled.kind === 'Scaled' ? Math.max(scaled.value, 0) : 0;
}

/** On how many nodes of those that are to run the Pod it may be unavailable, or there twice, during an update. */
export interface UpdateLimits {
  readonly maxUnavailable: number;
  readonly maxSurge: number;
}

/** Percentages are rounded up, and one node at least is updated at a time. @see spec/daemonset.md 5.6 step 2 */
export function updateLimitsOf(set: DaemonSet, desired: number): UpdateLimits {
  const { maxUnavailable, maxSurge } = rollingUpdateOf(set) ?? {};
  const limits = { maxUnavailable: countOf(maxUnavailable, desired, 'up'), maxSurge: countOf(maxSurge, desired, 'up') };
  return limits.maxUnavailable === 0 && limits.maxSurge === 0 && desired > 0 ? { ...limits, maxUnavailable: 1 } : limits;
}

/** Whether a new Pod may run beside the old one. */
export const allowsSurge = (set: DaemonSet): boolean => !isOnDelete(set) && countOf(rollingUpdateOf(set)?.maxSurge, 1, 'up') > 0;

/** How many nodes keep older revisions; a percentage of those that are to run the Pod, rounded down. */
export const partitionOf = (set: DaemonSet, desired: number): number =>
  isOnDelete(set) ? 0 : countOf(rollingUpdateOf(set)?.partition, desired, 'down');

const defaultBurst = 250;

/** Pods that a pass creates, deletes and updates in place at most, each; a percentage is rounded down. @see spec/daemonset.md 2.1 */
export const burstOf = ({ spec }: DaemonSet, desired: number): number => countOf(spec.burstReplicas ?? defaultBurst, desired, 'down');

/** Why `burstReplicas` lets nothing be done: the API accepts anything. @see spec/daemonset.md 8 */
export function burstFaultOf({ spec }: DaemonSet): string | undefined {
  const value: unknown = spec.burstReplicas ?? defaultBurst;
  const parsed = parseIntOrPercent(value, wholePercent);
  return parsed.kind === 'Illegal'
    ? `spec.burstReplicas: Invalid value: ${JSON.stringify(value)}: ${parsed.why}; it counts as 0`
    : undefined;
}

/** Which nodes are updated; undefined: all. A selector that cannot be read matches no node, so that nothing is updated by mistake. */
export function updatedNodesOf(set: DaemonSet): LabelMatcher | undefined {
  const selector = rollingUpdateOf(set)?.selector ?? undefined;
  return selector === undefined || isOnDelete(set) ? undefined : labelMatcherOrNothing(selector);
}
