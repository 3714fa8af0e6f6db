/** Decides which changes of a Pod enqueue it, so that its container meta is examined. Pure. @see spec/daemon.md 5.6, spec/inplace-update.md 14 */
import { annotations, podConditions } from '@kruise/api';
import type { Request, StoreEvent } from '@kruise/kube';
import { controllerOf, groupOf, keyOf, podCondition, seconds, type Container, type Pod } from '@kruise/objects';
import { metadataEnvHash, runtimeMetaOf, type RuntimeContainerMeta } from '@kruise/pods';

const enqueueAfter = seconds(1);

/** Returns whether the Pod is of a kind that is updated in place, or has injected sidecars. */
function isConcerned(pod: Pod): boolean {
  const controller = controllerOf(pod);
  return (
    (controller !== undefined && groupOf(controller.apiVersion) === 'apps.kruise.io') ||
    pod.metadata.annotations?.[annotations.sidecarSetHash] !== undefined
  );
}

/** Returns whether the Pod can be reported: not one that is being deleted, or has no containers yet. */
export const isReportable = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined && (pod.status?.containerStatuses ?? []).length > 0 && isConcerned(pod);

const containerOf = (pod: Pod, name: string): Container | undefined => pod.spec.containers.find((container) => container.name === name);

const envHashOf = (pod: Pod, name: string): number | undefined => {
  const container = containerOf(pod, name);
  return container === undefined ? undefined : metadataEnvHash(container, pod.metadata);
};

function isOutdated(pod: Pod, previous: Pod | undefined, metas: readonly RuntimeContainerMeta[], withEnv: boolean): boolean {
  const statuses = (pod.status?.containerStatuses ?? []).filter(({ containerID = '' }) => containerID !== '');
  return statuses.some(({ name, containerID }) => {
    const meta = metas.find((entry) => entry.name === name);
    if (meta === undefined || meta.containerID !== containerID) return true;
    if (!withEnv) return false;
    const expected = envHashOf(pod, name);
    if (expected === undefined) return false;
    return meta.metadataEnvHash !== expected || (previous !== undefined && envHashOf(previous, name) !== expected);
  });
}

/** Returns whether an in-place update is running: the only time at which containers are restarted, and at which a controller waits for the report. */
export const isBeingUpdated = (pod: Pod): boolean => podCondition(pod, podConditions.inPlaceUpdateReady)?.status === 'False';

/**
 * Returns whether the container meta has to be examined. A Pod that appears without any meta is not enqueued: when the daemon starts, it would write to every Pod
 * of the node at once. One that is being updated is still enqueued, because nothing else may happen to it until it is reported.
 */
function isTrigger(event: StoreEvent<Pod>, withEnv: boolean): boolean {
  const pod = event.object;
  if (event.kind === 'Deleted' || !isReportable(pod)) return false;
  const metas = runtimeMetaOf(pod);
  if (metas === undefined) return event.kind === 'Updated' || isBeingUpdated(pod);
  const previous = event.kind === 'Updated' ? event.previous : undefined;
  if (previous !== undefined && previous.spec.containers.length !== pod.spec.containers.length) return true;
  return metas.length !== pod.status?.containerStatuses?.length || isOutdated(pod, previous, metas, withEnv);
}

/** Returns the requests for an event of a Pod. @param withEnv the gate InPlaceUpdateEnvFromMetadata */
export const requestsOfPod = (event: StoreEvent<Pod>, withEnv: boolean): readonly Request[] =>
  isTrigger(event, withEnv) ? [{ key: keyOf(event.object), after: enqueueAfter }] : [];
