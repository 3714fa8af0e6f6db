/** ContainerRecreateRequests for tests, with valid defaults: a test names only what it checks. */
import {
  labels,
  type ContainerRecreateRequest,
  type ContainerRecreateRequestSpec,
  type ContainerRecreateRequestStatus,
  type ContainerRecreateRequestStrategy,
} from '@kruise/api';
import { formatTime } from '@kruise/objects';
import { epoch } from './pods.ts';

/** The fields of a ContainerRecreateRequest that a test sets; the rest is filled in. */
export interface RecreateRequestShape {
  readonly name?: string;
  readonly uid?: string;
  readonly podName?: string;
  readonly podUid?: string;
  /** Id of each container when the request was created, in the order of the request; `main` of {@link aPod} by default. */
  readonly containers?: Readonly<Record<string, string>>;
  readonly strategy?: ContainerRecreateRequestStrategy;
  readonly spec?: Partial<ContainerRecreateRequestSpec>;
  readonly phase?: ContainerRecreateRequestStatus['phase'];
  readonly status?: Partial<ContainerRecreateRequestStatus>;
  /** As in the API; {@link epoch} by default. */
  readonly createdAt?: string;
  readonly finalizers?: readonly string[];
  readonly deleting?: boolean;
  /** Whether the node's agent has to process it; true by default. */
  readonly active?: boolean;
}

/** Returns a request as after admission, for the Pod `web` on the node `node1`; without a status, as before any answer. */
export function aRecreateRequest(shape: RecreateRequestShape = {}): ContainerRecreateRequest {
  const { name = 'crr', podName = 'web', strategy = {}, spec, phase, finalizers, deleting = false, active = true } = shape;
  const { containers = { main: `containerd://${podName}` }, createdAt = formatTime(epoch) } = shape;
  const status = { ...(phase === undefined ? {} : { phase }), ...shape.status };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ContainerRecreateRequest',
    metadata: {
      name,
      namespace: 'default',
      uid: shape.uid ?? `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: createdAt,
      labels: {
        [labels.recreatePodUid]: shape.podUid ?? `uid-${podName}`,
        [labels.recreateNodeName]: 'node1',
        ...(active ? { [labels.recreateActive]: 'true' } : {}),
      },
      ...(finalizers === undefined ? {} : { finalizers }),
      ...(deleting ? { deletionTimestamp: createdAt } : {}),
    },
    spec: {
      podName,
      strategy,
      containers: Object.entries(containers).map(([container, containerID]) => ({
        name: container,
        statusContext: { containerID, restartCount: 0 },
      })),
      ...spec,
    },
    ...(Object.keys(status).length === 0 ? {} : { status: status as ContainerRecreateRequestStatus }),
  };
}
