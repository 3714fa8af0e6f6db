/**
 * Starts an in-place update with two writes in this order: take the Pod out of service (status), then change it.
 *
 * @see spec/inplace-update.md 6.1, 6.4
 */
import { annotations, podConditionReasons, podConditions } from '@kruise/api';
import {
  type Container,
  type Instant,
  type Milliseconds,
  type Pod,
  formatTime,
  hasReadinessGate,
  podCondition,
  recomputeReady,
  seconds,
} from '@kruise/objects';
import { replaceCondition, withConditions } from '../readiness/pod-status.ts';
import { type RevisionAdapter, revisionLabels } from '../revision/revision-adapter.ts';
import { type ApplyContext, type AppliedUpdate, applyUpdate, withUpdateState, withoutGrace } from './apply-update.ts';
import { withMetadata, withoutAnnotations } from './metadata/metadata-patch.ts';
import { withPendingOf } from './supersede.ts';
import { type UpdateSpec, formatUpdateSpec, omitUndefined } from './spec/update-spec.ts';
import type { InPlaceUpdateState } from './state/update-state.ts';

const isFilled = (map: object | undefined): boolean => Object.keys(map ?? {}).length > 0;

function restartsOnResize(container: Container, spec: UpdateSpec): boolean {
  const wanted = spec.containerResources?.[container.name];
  const touched = new Set(Object.keys({ ...wanted?.limits, ...wanted?.requests }));
  return (container.resizePolicy ?? []).some((policy) => policy.restartPolicy === 'RestartContainer' && touched.has(policy.resourceName));
}

/** Returns whether a container is restarted because of the changed amounts of cpu or memory. */
export const restartsForResize = (pod: Pod, spec: UpdateSpec): boolean =>
  pod.spec.containers.some((container) => restartsOnResize(container, spec));

/**
 * Returns whether the Pod leaves service for this update: if it has the readiness gate, unless only amounts of cpu or memory change without a
 * restart.
 *
 * @param isScalingOn gate InPlaceWorkloadVerticalScaling
 */
export function mustLeaveService(pod: Pod, spec: UpdateSpec, isScalingOn: boolean): boolean {
  if (!hasReadinessGate(pod, podConditions.inPlaceUpdateReady)) return false;
  const isResourcesOnly = isFilled(spec.containerResources) && !isFilled(spec.containerImages) && spec.updateEnvFromMetadata !== true;
  return !isScalingOn || !isResourcesOnly || restartsForResize(pod, spec);
}

/**
 * Returns the Pod with InPlaceUpdateReady False, and Ready as the kubelet will set it: the status to write before anything else.
 *
 * @returns the same Pod when the condition is False already
 */
export function takeOutOfService(pod: Pod, now: Instant): Pod {
  if (podCondition(pod, podConditions.inPlaceUpdateReady)?.status === 'False') return pod;
  const conditions = replaceCondition(pod.status?.conditions, {
    type: podConditions.inPlaceUpdateReady,
    status: 'False',
    reason: podConditionReasons.startInPlaceUpdate,
    lastTransitionTime: formatTime(now),
  });
  return withConditions(pod, recomputeReady(pod, conditions, now));
}

/** The input of the start of an update, and the changes that are written together with it. */
export interface StartContext extends ApplyContext {
  readonly adapter: RevisionAdapter;
  /** Labels and annotations of the kind in the same write, e.g. the lifecycle state Updating. */
  readonly alongside?: { readonly labels?: Readonly<Record<string, string>>; readonly annotations?: Readonly<Record<string, string>> };
}

/** The Pod with its first batch, and when the next step is due. */
export interface StartedUpdate extends AppliedUpdate {
  /** After this time the Pod has to be checked again; 0 when its containers change immediately. */
  readonly requeueAfter: Milliseconds;
}

const freshState = (spec: UpdateSpec, now: Instant): InPlaceUpdateState =>
  omitUndefined<InPlaceUpdateState>({
    revision: spec.revision,
    updateTimestamp: formatTime(now),
    lastContainerStatuses: null,
    updateEnvFromMetadata: spec.updateEnvFromMetadata === true ? true : undefined,
    updateResources: isFilled(spec.containerResources) ? true : undefined,
    updateImages: isFilled(spec.containerImages) ? true : undefined,
  });

/**
 * Returns the change of the Pod itself. Its revision labels change now. With a grace period the containers change when {@link planRefresh} finds that
 * it is over; until then the spec waits in an annotation. The remaining changes of an earlier update are included.
 *
 * @param pod after {@link takeOutOfService} was written, where that is needed
 */
export function startUpdate(pod: Pod, wanted: UpdateSpec, context: StartContext): StartedUpdate {
  const spec = withPendingOf(pod, wanted);
  const state = freshState(spec, context.now);
  const labelled = withMetadata(withMetadata(pod.metadata, context.alongside ?? {}), {
    labels: revisionLabels(context.adapter, spec.revision),
  });
  const marked: Pod = { ...pod, metadata: labelled };
  const graceSeconds = spec.graceSeconds ?? 0;
  if (graceSeconds <= 0) return { ...applyUpdate(withoutGrace(marked), spec, state, context), requeueAfter: seconds(0) };
  const waiting = withMetadata(withoutAnnotations(marked.metadata, annotations.legacyInPlaceUpdateGrace), {
    annotations: { [annotations.inPlaceUpdateGrace]: formatUpdateSpec(spec) },
  });
  return { pod: withUpdateState({ ...marked, metadata: waiting }, state), state, requeueAfter: seconds(graceSeconds) };
}
