/**
 * A Pod as the API server holds it once an action was carried out, before any node has reacted. Simulations of a rollout share these steps; what the
 * nodes do then is theirs.
 */
import { applyStrategicMergePatch, formatTime, podPatchSchema, unreachable, type Instant, type Pod } from '@kruise/objects';
import {
  addNotReadyKey,
  lifecycleMetadata,
  mustLeaveService,
  removeNotReadyKey,
  resizePatch,
  startUpdate,
  takeOutOfService,
  type LifecycleTransition,
  type ResourceWriting,
  type RevisionAdapter,
  type UpdateSpec,
} from '@kruise/pods';
import type { PodAction } from './pod-action.ts';

/** How a kind writes to its Pods. */
export interface PodWriting {
  readonly adapter: RevisionAdapter;
  readonly resources: ResourceWriting;
  /** Whether updates in place change the lifecycle state. */
  readonly statesOfUpdates: boolean;
}

/** Returns the Pod after a strategic merge patch; a patch that the API server refuses leaves the same Pod. */
export function patchedPod(pod: Pod, patch: object): Pod {
  const result = applyStrategicMergePatch({ ...pod }, { ...patch }, podPatchSchema);
  return result.kind === 'Patched' ? (result.value as Pod) : pod;
}

function moved(pod: Pod, { readiness, patch }: LifecycleTransition, now: Instant): Pod {
  const change = readiness?.kind === 'RemoveKey' ? removeNotReadyKey : addNotReadyKey;
  const marked = readiness === undefined ? pod : change(pod, readiness.key, now);
  return patch === undefined ? marked : patchedPod(marked, patch);
}

function updated(pod: Pod, spec: UpdateSpec, { adapter, resources, statesOfUpdates }: PodWriting, now: Instant): Pod {
  const leaving = mustLeaveService(pod, spec, resources !== 'Ignored') ? takeOutOfService(pod, now) : pod;
  const alongside = statesOfUpdates ? { alongside: lifecycleMetadata('Updating', now) } : {};
  return startUpdate(leaving, spec, { adapter, now, resources, ...alongside }).pod;
}

/**
 * Returns the Pod after an action on it.
 *
 * @param pod as the API server holds it now; `RefreshPod` replaces it by the Pod that its step contains
 * @param now the time that the action writes
 */
export function podAfter(pod: Pod, action: PodAction, writing: PodWriting, now: Instant): Pod {
  switch (action.kind) {
    case 'RefreshPod': {
      const { step, alongside } = action;
      const next = 'pod' in step ? step.pod : step.update.pod;
      return alongside === undefined ? next : patchedPod(next, { metadata: alongside });
    }
    case 'SetLifecycle':
      return moved(pod, action.transition, now);
    case 'LabelPod':
      return patchedPod(pod, { metadata: { labels: action.labels } });
    case 'ReleasePod':
      return { ...pod, metadata: { ...pod.metadata, ownerReferences: action.ownerReferences } };
    case 'ResizePod': {
      const resize = resizePatch(pod, new Map(Object.entries(action.resources)));
      return resize === undefined ? pod : patchedPod(pod, resize);
    }
    case 'UpdatePodInPlace':
      return updated(pod, action.spec, writing, now);
    default:
      return unreachable(action);
  }
}

/** Returns a Pod that was just created. */
export const createdPod = (pod: Pod, uid: string, now: Instant): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, uid, resourceVersion: '1', creationTimestamp: formatTime(now) },
  status: { phase: 'Pending' },
});

/** Returns the Pod as it is while it is being deleted. */
export const terminatingPod = (pod: Pod, now: Instant): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: formatTime(now) },
});
