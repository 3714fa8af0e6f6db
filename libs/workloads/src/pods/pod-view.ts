/**
 * What the rules need of every Pod in every pass, computed once for each version of a Pod. A store returns the same object until the Pod changes, so
 * the cost of a pass over thousands of Pods depends on what changed since the last one.
 *
 * Nothing here depends on the time or on the workload: those are parameters of the functions.
 */
import { labels } from '@kruise/api';
import {
  isPodActive,
  isPodReady,
  isTerminating,
  parseTime,
  podCondition,
  type Instant,
  type Pod,
  memoized,
  memoizedList,
} from '@kruise/objects';
import { isAtRest, isPodUpdateReady, lifecycleStateOf, staleLifecycleKeys, type LifecycleState } from '@kruise/pods';

/** The properties of a Pod that the shared rules read, computed once for each object. */
export interface PodView {
  /** Neither finished nor terminating. */
  readonly isActive: boolean;
  readonly isTerminating: boolean;
  /** '' for a Pod without the label. */
  readonly state: LifecycleState | '';
  /** Running, ready, and not in the middle of an in-place update: available except for `minReadySeconds` and the lifecycle. */
  readonly isServing: boolean;
  /** Condition Ready is True. */
  readonly isReady: boolean;
  /** Running and ready, also in the middle of an in-place update. */
  readonly isReadyRunning: boolean;
  /** When condition Ready last changed, as the kubelet wrote it; undefined without a time. */
  readonly readySince: Instant | undefined;
  /** Whether nothing of an in-place update remains to be done, at any time: see `planRefresh`. */
  readonly isAtRest: boolean;
  /** Whether the Pod leaves its state only by a decision about it. */
  readonly isSettled: boolean;
  /** The revision that `controller-revision-hash` names; '' without the label. */
  readonly revisionLabel: string;
  /** Whether the Pod names its revision without the label `pod-template-hash`, as Pods of older managers do. */
  readonly lacksTemplateHash: boolean;
  /** Has the label that requests its deletion and replacement. */
  readonly isMarkedForDeletion: boolean;
}

const settledStates: ReadonlySet<string> = new Set(['Normal', '', 'PreparingDelete']);

function classify(pod: Pod): PodView {
  const [state, atRest] = [lifecycleStateOf(pod), isAtRest(pod)];
  const carried = pod.metadata.labels ?? {};
  const revisionLabel = carried[labels.controllerRevisionHash] ?? '';
  return {
    isActive: isPodActive(pod),
    isTerminating: isTerminating(pod),
    state,
    isServing: isPodUpdateReady(pod, 0, 0 as Instant),
    isReady: isPodReady(pod),
    isReadyRunning: pod.status?.phase === 'Running' && isPodReady(pod),
    readySince: parseTime(podCondition(pod, 'Ready')?.lastTransitionTime),
    isAtRest: atRest,
    isSettled: atRest && settledStates.has(state) && staleLifecycleKeys(pod).length === 0,
    revisionLabel,
    lacksTemplateHash: revisionLabel !== '' && carried[labels.podTemplateHash] === undefined,
    isMarkedForDeletion: carried[labels.specifiedDelete] !== undefined,
  };
}

/**
 * Returns the view of a Pod, the same one for the same object.
 *
 * @param pod an object that is never changed, as a store returns it
 */
export const podViewOf: (pod: Pod) => PodView = memoized(classify);

/** Returns the views of the Pods of a workload, in the order of the list. `owner`: its `metadata`. Only Pods that have changed since the last list cost time. */
export const podViewsOf: (owner: object, pods: readonly Pod[]) => readonly PodView[] = memoizedList(podViewOf);

/**
 * Returns whether the Pod is serving for longer than `minReadySeconds` (not for exactly as long), and no lifecycle hook waits for it.
 * @see spec/inplace-update.md 9.4
 */
export const isAvailable = (pod: Pod, limit: AvailabilityLimit): boolean => isViewAvailable(podViewOf(pod), limit);

/** What an available Pod has to be ready for. */
export interface AvailabilityLimit {
  readonly minReadySeconds: number;
  readonly now: Instant;
}

/** Returns what {@link isAvailable} returns for the Pod of the view. */
export function isViewAvailable({ state, isServing, readySince }: PodView, { minReadySeconds, now }: AvailabilityLimit): boolean {
  if (!isServing || (state !== '' && state !== 'Normal')) return false;
  return minReadySeconds <= 0 || (readySince !== undefined && readySince + minReadySeconds * 1000 < now);
}

/** Returns whether the Pod is available, ignoring `minReadySeconds`. */
export const isReadyNow = (pod: Pod): boolean => isAvailable(pod, { minReadySeconds: 0, now: 0 as Instant });

/** Returns whether the Pod waits for its preDelete hook. */
export const isPreparingDelete = (pod: Pod): boolean => podViewOf(pod).state === 'PreparingDelete';

/** Returns the Pods that are neither finished nor terminating. */
export const activePods = (pods: readonly Pod[]): readonly Pod[] => pods.filter((pod) => podViewOf(pod).isActive);
