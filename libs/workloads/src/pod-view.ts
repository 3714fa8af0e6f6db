/**
 * What the rules ask of every Pod in every pass, found out once for each version of a Pod. A store gives the same object until the Pod changes, so
 * that a pass over thousands of Pods costs what changed since the last one.
 *
 * Nothing here depends on the time or on the workload: those are arguments of the questions.
 */
import { labels } from '@kruise/api';
import { isPodActive, parseTime, podCondition, type Instant, type Pod, memoized } from '@kruise/objects';
import { isAtRest, isPodUpdateReady, lifecycleStateOf, type LifecycleState } from '@kruise/pods';

/** What the shared rules look at in a Pod, computed once a pass. */
export interface PodView {
  /** Neither finished nor terminating. */
  readonly isActive: boolean;
  /** '' for a Pod without the label. */
  readonly state: LifecycleState | '';
  /** Running, ready, and not in the middle of an in-place update: available but for `minReadySeconds` and the lifecycle. */
  readonly isServing: boolean;
  /** When condition Ready last changed, as the kubelet wrote it; undefined when it says no time. */
  readonly readySince: Instant | undefined;
  /** Nothing of an update in place is left to do, whatever the time: see `planRefresh`. */
  readonly isAtRest: boolean;
  /** Carries the label by which it is to be deleted and replaced. */
  readonly isMarkedForDeletion: boolean;
}

const classify = (pod: Pod): PodView => ({
  isActive: isPodActive(pod),
  state: lifecycleStateOf(pod),
  isServing: isPodUpdateReady(pod, 0, 0 as Instant),
  readySince: parseTime(podCondition(pod, 'Ready')?.lastTransitionTime),
  isAtRest: isAtRest(pod),
  isMarkedForDeletion: pod.metadata.labels?.[labels.specifiedDelete] !== undefined,
});

/**
 * @param pod an object that nobody changes, as a store gives it
 * @returns the same view for the same object
 */
export const podViewOf: (pod: Pod) => PodView = memoized(classify);

/**
 * Serving for longer than `minReadySeconds` (not: for exactly as long), and no lifecycle hook waits on it.
 * @see spec/inplace-update.md 9.4
 */
export function isAvailable(pod: Pod, { minReadySeconds, now }: { readonly minReadySeconds: number; readonly now: Instant }): boolean {
  const { state, isServing, readySince } = podViewOf(pod);
  if (!isServing || (state !== '' && state !== 'Normal')) return false;
  return minReadySeconds <= 0 || (readySince !== undefined && readySince + minReadySeconds * 1000 < now);
}

/** Available without regard to `minReadySeconds`. */
export const isReadyNow = (pod: Pod): boolean => isAvailable(pod, { minReadySeconds: 0, now: 0 as Instant });

/** Waits for its preDelete hook. */
export const isPreparingDelete = (pod: Pod): boolean => podViewOf(pod).state === 'PreparingDelete';

/** Those neither finished nor terminating. */
export const activePods = (pods: readonly Pod[]): readonly Pod[] => pods.filter((pod) => podViewOf(pod).isActive);
