/** What the controller does about one Pod, decided from the Pod alone. @see spec/podreadiness.md 4 */
import { labels } from '@kruise/api';
import type { Instant, Pod, StoredCondition } from '@kruise/objects';
import { firstKruisePodReady, lacksKruisePodReady, lifecycleStateOf } from '@kruise/pods';

/** Strategic merge patch for the status subresource. */
export interface FirstCondition {
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
export function planFirstCondition(pod: Pod, now: Instant): FirstCondition | undefined {
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
