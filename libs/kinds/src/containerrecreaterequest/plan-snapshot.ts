/** How the kubelet sees the containers of a request, as far as they were started since. Pure. @see spec/containerrecreaterequest.md 5.2 */
import type { ContainerRecreateRequest, ContainerRecreateRequestContainer, ContainerStatusSnapshot } from '@kruise/api';
import { containerStatusOf, deepEqual, parseTime, type ContainerStatus, type Pod } from '@kruise/objects';

/**
 * Started since the request was made, or another instance than the one that ran then. The ids alone would do but for the first case of
 * old requests; the times alone would not: the clocks of node and API server differ, and a request may name an instance that had just ended.
 */
function isStartedSince(status: ContainerStatus, { statusContext }: ContainerRecreateRequestContainer, createdAt: number): boolean {
  const running = status.state?.running;
  if (running === undefined) return false;
  const startedAt = parseTime(running.startedAt) ?? 0;
  return startedAt >= createdAt || (statusContext !== undefined && status.containerID !== statusContext.containerID);
}

const entryOf = ({ name, ready, restartCount, containerID = '' }: ContainerStatus): ContainerStatusSnapshot => ({
  name,
  ready,
  restartCount,
  ...(containerID === '' ? {} : { containerID }),
});

/** @returns in the order of the spec; undefined when the request shows it already, or there is nothing where there was something */
export function planSnapshot(request: ContainerRecreateRequest, pod: Pod): readonly ContainerStatusSnapshot[] | undefined {
  const createdAt = parseTime(request.metadata.creationTimestamp) ?? 0;
  const snapshot = request.spec.containers.flatMap((container) => {
    const status = containerStatusOf(pod, container.name);
    return status !== undefined && isStartedSince(status, container, createdAt) ? [entryOf(status)] : [];
  });
  return snapshot.length === 0 || deepEqual(snapshot, request.status?.containerStatusSnapshot ?? []) ? undefined : snapshot;
}
