/** ContainerRecreateRequests for the tests of this folder: valid defaults, and a test names only what it is about. */
import type {
  ContainerRecreateRequest,
  ContainerRecreateRequestStatus,
  ContainerRecreateRequestStrategy,
  ContainerRecreateState,
} from '@kruise/api';
import { instant, type Instant } from '@kruise/objects';
import type { ContainerInstance } from './plan-states.ts';

/** When requests are made: 2026-01-01T00:00:00Z. */
export const made: Instant = instant(Date.UTC(2026, 0, 1));
/** So many seconds after that. */
export const later = (seconds: number): Instant => instant(made + seconds * 1000);

export interface RequestShape {
  readonly name?: string;
  readonly uid?: string;
  readonly podName?: string;
  readonly podUid?: string;
  /** Names, each with the id it had when the request was made: `app` had `containerd://app-1`. */
  readonly containers?: readonly string[];
  readonly strategy?: ContainerRecreateRequestStrategy;
  readonly states?: readonly ContainerRecreateState[];
  readonly status?: Partial<ContainerRecreateRequestStatus>;
  readonly createdAt?: string;
  readonly deleting?: boolean;
}

export function aRequest(shape: RequestShape = {}): ContainerRecreateRequest {
  const { name = 'crr', podName = 'web', containers = ['app'], strategy = {}, states, status } = shape;
  const held = { ...status, ...(states === undefined ? {} : { phase: 'Recreating', containerRecreateStates: states, ...status }) };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ContainerRecreateRequest',
    metadata: {
      name,
      namespace: 'default',
      uid: shape.uid ?? `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: shape.createdAt ?? '2026-01-01T00:00:00Z',
      ...(shape.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:01Z' } : {}),
      labels: {
        'crr.apps.kruise.io/pod-uid': shape.podUid ?? `uid-${podName}`,
        'crr.apps.kruise.io/node-name': 'node1',
        'crr.apps.kruise.io/active': 'true',
      },
    },
    spec: {
      podName,
      strategy,
      containers: containers.map((container) => ({
        name: container,
        statusContext: { containerID: `containerd://${container}-1`, restartCount: 0 },
      })),
    },
    ...(Object.keys(held).length === 0 ? {} : { status: held as ContainerRecreateRequestStatus }),
  };
}

/** The first instance of `app`, running for a minute when requests are made. */
export const anInstance = (shape: Partial<ContainerInstance> = {}): ContainerInstance => ({
  containerID: 'containerd://app-1',
  state: 'Running',
  restartCount: 0,
  startedAt: later(-60),
  ...shape,
});
/** The second one, running since a second after a request was made. */
export const aNewInstance = (shape: Partial<ContainerInstance> = {}): ContainerInstance =>
  anInstance({ containerID: 'containerd://app-2', restartCount: 1, startedAt: later(1), ...shape });
