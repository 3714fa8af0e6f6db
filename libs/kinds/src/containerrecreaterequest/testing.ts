/** The Pod whose containers are recreated in the tests of this folder. */
import { formatTime, instant, type Instant, type Pod } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';

/** So many seconds after a request was made. */
export const later = (seconds: number): Instant => instant(epoch + seconds * 1000);

export const finalizer = 'crr.apps.kruise.io/unready-acquired';

export interface WebShape extends PodShape {
  /** With the readiness gate and its condition True; yes unless said otherwise. */
  readonly gated?: boolean;
  /** Of the container `main`; the one that the request names unless said otherwise. */
  readonly containerID?: string;
  readonly startedAt?: Instant;
}

/** The Pod `web`, running for an hour when requests are made. */
export function aWeb(shape: WebShape = {}): Pod {
  const pod = aPod({ name: 'web', ...shape });
  const { gated = true, containerID = 'containerd://web', startedAt = later(-3600) } = shape;
  const gates = gated ? [{ conditionType: 'KruisePodReady' }] : [];
  const conditions = [...(pod.status?.conditions ?? []), ...(gated ? [{ type: 'KruisePodReady', status: 'True' }] : [])];
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((status) => ({
    ...status,
    containerID,
    state: { running: { startedAt: formatTime(startedAt) } },
  }));
  return {
    ...pod,
    spec: { ...pod.spec, readinessGates: [...(pod.spec.readinessGates ?? []), ...gates] },
    status: { ...pod.status, conditions, containerStatuses },
  };
}
