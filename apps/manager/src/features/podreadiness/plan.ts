/** What the controller does about one Pod, decided from the Pod alone. @see spec/podreadiness.md 4, 8 */
import { labels, podConditions } from '@kruise/api';
import { formatTime, hasReadinessGate, podCondition, type Instant, type Pod, type StoredCondition } from '@kruise/objects';
import { firstKruisePodReady, formatNotReadyKeys, lacksKruisePodReady, lifecycleStateOf, parseNotReadyKeys } from '@kruise/pods';

/** Strategic merge patch for the status subresource. */
export interface ConditionPatch {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string };
  readonly status: { readonly conditions: readonly StoredCondition[] };
}

/**
 * Whether somebody may be about to take the Pod out of service, which would write the same condition: that needs containers to recreate, or a
 * workload that prepares the Pod for something.
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

/**
 * Whether the condition holds the Pod back although it names nobody who does: its message was edited, or emptied without the status. A Pod that its
 * workload prepares for something is left to the workload.
 */
export function isLeftBehind(pod: Pod): boolean {
  const condition = podCondition(pod, podConditions.kruisePodReady);
  const isPrepared = ['PreparingDelete', 'PreparingUpdate'].includes(lifecycleStateOf(pod));
  return (
    pod.metadata.deletionTimestamp === undefined &&
    hasReadinessGate(pod, podConditions.kruisePodReady) &&
    condition?.status === 'False' &&
    !isPrepared &&
    parseNotReadyKeys(condition.message).length === 0
  );
}

/**
 * The condition of a Pod that {@link isLeftBehind}, True again, on exactly the version seen.
 *
 * @remarks Whether a ContainerRecreateRequest holds the Pod does not show in it; the caller has to look.
 */
export function planReset({ metadata: { uid, resourceVersion } }: Pod, now: Instant): ConditionPatch {
  const condition = {
    type: podConditions.kruisePodReady,
    status: 'True',
    message: formatNotReadyKeys([]),
    lastTransitionTime: formatTime(now),
  };
  return {
    metadata: { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    status: { conditions: [condition] },
  };
}
