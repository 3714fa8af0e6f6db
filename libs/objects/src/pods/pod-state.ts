/** What a Pod's spec and status contain. `libs/pods` adds lifecycle states and update conditions of the workload kinds. */
import { findCondition, setCondition, statusOnlyConditionRule } from '../metadata/conditions.ts';
import { parseTime, type Instant } from '../values/time.ts';
import type { ContainerStatus, Pod, PodCondition } from './pod.ts';

/** Returns the Pod's condition of this type; undefined without status or without the condition. */
export const podCondition = (pod: Pod, type: string): PodCondition | undefined => findCondition(pod.status?.conditions, type);

/** Returns whether all containers have ended, and none starts again. */
export const isPodFinished = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Returns whether the Pod is neither finished nor terminating. @see spec/inplace-update.md 9.4 */
export const isPodActive = (pod: Pod): boolean => !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined;

/** Returns whether condition Ready is True. */
export const isPodReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True';

/**
 * Returns whether the Pod is ready for longer than `minReadySeconds`: at exactly that age it is not available yet.
 *
 * @remarks With a positive minimum, a Ready condition without a time is not available.
 * @see spec/inplace-update.md 9.4
 */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: Instant): boolean {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True') return false;
  if (minReadySeconds <= 0) return true;
  const since = parseTime(ready.lastTransitionTime);
  return since !== undefined && since + minReadySeconds * 1000 < now;
}

/**
 * Returns the rank of the phase: Pending 0, Unknown 1, Running 2. Finished and absent phases rank as Pending does, because those Pods are as cheap to
 * lose.
 */
export function podPhaseRank(pod: Pod): number {
  switch (pod.status?.phase) {
    case 'Running':
      return 2;
    case 'Unknown':
      return 1;
    default:
      return 0;
  }
}

const named = (statuses: readonly ContainerStatus[] | undefined, name: string): ContainerStatus | undefined =>
  statuses?.find((status) => status.name === name);

/** Returns the status by name: the kubelet sorts statuses, so their order is not that of the spec. */
export const containerStatusOf = (pod: Pod, container: string): ContainerStatus | undefined =>
  named(pod.status?.containerStatuses, container);

/** Returns the kubelet's status of an init container by name; undefined before its first report. */
export const initContainerStatusOf = (pod: Pod, container: string): ContainerStatus | undefined =>
  named(pod.status?.initContainerStatuses, container);

/** Returns whether the Pod is ready only while the condition `type` is True. */
export const hasReadinessGate = (pod: Pod, type: string): boolean =>
  pod.spec.readinessGates?.some((gate) => gate.conditionType === type) === true;

/**
 * Returns the Pod's conditions with `Ready` as the kubelet will set it once it sees that a readiness gate does not hold. It only changes Ready to
 * False: only the kubelet makes a Pod ready.
 *
 * @param conditions of the Pod, the gate's condition already changed
 * @returns the same list when Ready or ContainersReady is missing, containers are not ready, every gate holds, or Ready is False already
 * @see spec/inplace-update.md 9.3
 */
export function recomputeReady(pod: Pod, conditions: readonly PodCondition[], now: Instant): readonly PodCondition[] {
  if (findCondition(conditions, 'Ready') === undefined || findCondition(conditions, 'ContainersReady')?.status !== 'True')
    return conditions;
  const message = (pod.spec.readinessGates ?? [])
    .map((gate) => complaint(gate.conditionType, findCondition(conditions, gate.conditionType)))
    .filter((text) => text !== undefined)
    .join(', ');
  if (message === '') return conditions;
  const notReady: PodCondition = { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', message };
  return setCondition(conditions, notReady, now, statusOnlyConditionRule);
}

function complaint(gate: string, condition: PodCondition | undefined): string | undefined {
  if (condition === undefined) return `corresponding condition of pod readiness gate "${gate}" does not exist.`;
  if (condition.status === 'True') return undefined;
  return `the status of pod readiness gate "${gate}" is not "True", but ${condition.status}`;
}
