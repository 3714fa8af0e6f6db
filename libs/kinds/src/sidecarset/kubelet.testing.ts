/** A kubelet in steps: stops a container whose image changed, and starts it again with the new one. */
import {
  deepEqual,
  formatTime,
  isPodReady,
  podCondition,
  type Container,
  type ContainerStatus,
  type Instant,
  type Pod,
  type PodCondition,
} from '@kruise/objects';
import { runningStatus } from './testing.ts';

export interface KubeletOptions {
  /** Images that cannot be pulled. */
  readonly broken?: ReadonlySet<string>;
  /** Containers that start need another step until they are ready. */
  readonly slow?: boolean;
}

const runs = (status: ContainerStatus | undefined): boolean => status?.state?.running !== undefined;

/** One step towards what the spec says: a container first ends, then starts. */
function stepContainer(
  { name, image = '' }: Container,
  status: ContainerStatus | undefined,
  now: Instant,
  { broken = new Set(), slow = false }: KubeletOptions,
): ContainerStatus {
  if (status !== undefined && status.image === image && runs(status) && status.ready) return status;
  if (status !== undefined && runs(status) && status.image !== image) {
    const { state, containerID, ...rest } = status;
    const ended = { exitCode: 137, finishedAt: formatTime(now), ...(containerID === undefined ? {} : { containerID }) };
    return {
      ...rest,
      ...(containerID === undefined ? {} : { containerID }),
      ready: false,
      state: { terminated: ended },
      lastState: { ...(state === undefined ? {} : { terminated: ended }) },
    };
  }
  if (broken.has(image)) {
    const held = status ?? runningStatus(name, image, now, false);
    return { ...held, ready: false, state: { waiting: { reason: 'ImagePullBackOff' } } };
  }
  if (status !== undefined && runs(status)) return { ...status, ready: true };
  return {
    ...runningStatus(name, image, now, !slow),
    restartCount: (status?.restartCount ?? -1) + 1,
    ...(status?.lastState === undefined ? {} : { lastState: status.lastState }),
  };
}

function readyCondition(pod: Pod, ready: boolean, now: Instant): readonly PodCondition[] {
  const held = podCondition(pod, 'Ready');
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  const lastTransitionTime = held !== undefined && isPodReady(pod) === ready ? held.lastTransitionTime : formatTime(now);
  return [
    ...others,
    { type: 'Ready', status: ready ? 'True' : 'False', ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) },
  ];
}

/** The Pod after one step; the same one when there is nothing to do. */
export function kubeletStep(pod: Pod, now: Instant, options: KubeletOptions = {}): Pod {
  if (pod.metadata.deletionTimestamp !== undefined || pod.status?.phase === 'Failed') return pod;
  const statuses = pod.spec.containers.map((container) =>
    stepContainer(
      container,
      pod.status?.containerStatuses?.find(({ name }) => name === container.name),
      now,
      options,
    ),
  );
  const ready = statuses.every((status) => status.ready);
  const next: Pod = {
    ...pod,
    status: { ...pod.status, phase: 'Running', containerStatuses: statuses, conditions: readyCondition(pod, ready, now) },
  };
  return deepEqual(next.status?.containerStatuses, pod.status?.containerStatuses) && isPodReady(pod) === ready ? pod : next;
}
