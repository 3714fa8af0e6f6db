/** ContainerRecreateRequests for the tests of this folder: valid defaults, and a test names only what it is about. */
import type { ContainerRecreateRequest, ContainerRecreateRequestSpec, ContainerRecreateRequestStatus } from '@kruise/api';
import { formatTime, instant, type Instant, type Pod } from '@kruise/objects';
import { aPod, epoch, type PodShape } from '@kruise/testing';

/** So many seconds after a request was made. */
export const later = (seconds: number): Instant => instant(epoch + seconds * 1000);

export interface RequestShape {
  readonly name?: string;
  readonly phase?: ContainerRecreateRequestStatus['phase'];
  readonly status?: Partial<ContainerRecreateRequestStatus>;
  readonly strategy?: ContainerRecreateRequestSpec['strategy'];
  readonly spec?: Partial<ContainerRecreateRequestSpec>;
  readonly finalizers?: readonly string[];
  readonly deleting?: boolean;
  readonly active?: boolean;
}

export const finalizer = 'crr.apps.kruise.io/unready-acquired';

/** For the container `main` of the Pod `web`, made at the epoch; nobody has answered yet. */
export function aRequest(shape: RequestShape = {}): ContainerRecreateRequest {
  const { name = 'crr', phase, status, strategy = {}, spec, finalizers, deleting = false, active = true } = shape;
  const held = { ...(phase === undefined ? {} : { phase }), ...status };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ContainerRecreateRequest',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: formatTime(epoch),
      labels: {
        'crr.apps.kruise.io/pod-uid': 'uid-web',
        'crr.apps.kruise.io/node-name': 'node1',
        ...(active ? { 'crr.apps.kruise.io/active': 'true' } : {}),
      },
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deleting ? { deletionTimestamp: formatTime(epoch) } : {}),
    },
    spec: {
      podName: 'web',
      containers: [{ name: 'main', statusContext: { containerID: 'containerd://web', restartCount: 0 } }],
      strategy,
      ...spec,
    },
    ...(Object.keys(held).length === 0 ? {} : { status: held as ContainerRecreateRequestStatus }),
  };
}

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
