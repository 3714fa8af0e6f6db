/** What the controller does about one Pod, decided from the Pod alone. @see spec/podreadiness.md 4, 8 */
import { labels, podConditions } from '@kruise/api';
import { formatTime, hasReadinessGate, podCondition, type Instant, type Pod, type StoredCondition } from '@kruise/objects';
import {
  firstKruisePodReady,
  formatNotReadyKeys,
  lacksKruisePodReady,
  lifecycleStateOf,
  parseNotReadyKeys,
  removeNotReadyKey,
  staleLifecycleKeys,
} from '@kruise/pods';

/** Strategic merge patch for the status subresource. */
export interface ConditionPatch {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string };
  readonly status: { readonly conditions: readonly StoredCondition[] };
}

/**
 * Whether another client may be about to take the Pod out of service, which would write the same condition. That requires containers to recreate, or
 * a workload that prepares the Pod for an update or deletion.
 */
const mayBeTakenOutOfService = (pod: Pod): boolean =>
  (pod.status?.containerStatuses ?? []).length > 0 ||
  pod.metadata.labels?.[labels.specifiedDelete] !== undefined ||
  lifecycleStateOf(pod) === 'PreparingDelete' ||
  lifecycleStateOf(pod) === 'PreparingUpdate';

/**
 * The first condition of a Pod, True.
 *
 * @returns undefined when there is nothing to do: no gate, terminating, or the condition is there, whatever it says
 * @remarks The patch never meets another Pod of the same name. It holds for exactly the version seen where another writer may be at work; a
 * Pod that only starts takes it on any version, which spares the conflicts with scheduler and kubelet.
 */
export function planFirstCondition(pod: Pod, now: Instant): ConditionPatch | undefined {
  if (!lacksKruisePodReady(pod)) return undefined;
  const { uid, resourceVersion } = pod.metadata;
  return {
    metadata: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined || !mayBeTakenOutOfService(pod) ? {} : { resourceVersion }),
    },
    ...firstKruisePodReady(now),
  };
}

/** What is wrong with a condition that is False. */
export type LeftBehind =
  /** It names no writer: its message was edited, or emptied without the status. A Pod that its workload prepares for something is left to the workload. */
  | 'NamesNoWriter'
  /** It holds the key of a lifecycle hook, and the Pod is in no state of that hook. */
  | 'StaleKey';

/** @returns undefined for a condition that has to stay as it is */
export function leftBehindOf(pod: Pod): LeftBehind | undefined {
  const condition = podCondition(pod, podConditions.kruisePodReady);
  const isHeld =
    pod.metadata.deletionTimestamp === undefined && hasReadinessGate(pod, podConditions.kruisePodReady) && condition?.status === 'False';
  if (!isHeld) return undefined;
  if (staleLifecycleKeys(pod).length > 0) return 'StaleKey';
  const isPrepared = ['PreparingDelete', 'PreparingUpdate'].includes(lifecycleStateOf(pod));
  return isPrepared || parseNotReadyKeys(condition.message).length > 0 ? undefined : 'NamesNoWriter';
}

/**
 * The condition of a Pod with {@link leftBehindOf}, without what is left behind: True when no other key holds the Pod. On exactly the version seen.
 *
 * @remarks Whether a ContainerRecreateRequest holds a Pod whose condition names no writer does not show in it; the caller has to look.
 */
export function planReset(pod: Pod, now: Instant): ConditionPatch {
  const { uid, resourceVersion } = pod.metadata;
  const reset = staleLifecycleKeys(pod).reduce((held, key) => removeNotReadyKey(held, key, now), pod);
  const keys = parseNotReadyKeys(podCondition(reset, podConditions.kruisePodReady)?.message);
  const condition = {
    type: podConditions.kruisePodReady,
    status: keys.length === 0 ? 'True' : 'False',
    message: formatNotReadyKeys(keys),
    lastTransitionTime: formatTime(now),
  };
  return {
    metadata: { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    status: { conditions: [condition] },
  };
}
