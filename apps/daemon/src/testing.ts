/** Pods of a node and the containers of its runtime, for the tests of this program, with valid defaults: a test names only what it checks. */
import { annotations, podConditions } from '@kruise/api';
import type { RecordedCall, ScriptedContainer, ScriptedRuntime } from '@kruise/cri/testing';
import type { Timeline } from '@kruise/kube/testing';
import { plainHash, type RuntimeContainerMeta, formatRuntimeMeta } from '@kruise/pods';
import type { Container, ContainerStatus, EnvVar, Pod } from '@kruise/objects';

export const node = 'node1';

export const fromAnnotation = (name: string, key: string): EnvVar => ({
  name,
  valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${key}']` } },
});

export interface PodShape {
  readonly name?: string;
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly metas?: readonly RuntimeContainerMeta[];
  readonly containers?: readonly Container[];
  /** Container name to id; statuses are sorted by name, as the kubelet writes them. */
  readonly ids?: Readonly<Record<string, string>>;
  readonly inPlaceUpdateReady?: 'True' | 'False';
  readonly deleting?: boolean;
  /** Owned by a CloneSet; true by default. */
  readonly owned?: boolean;
}

export const app: Container = { name: 'app', image: 'app:1', env: [fromAnnotation('CFG', 'cfg')] };

const statusOf = ([name, containerID]: readonly [string, string]): ContainerStatus => ({
  name,
  containerID,
  image: 'app:1',
  imageID: 'sha256:1',
  ready: true,
  restartCount: 0,
});

export function aNodePod(shape: PodShape = {}): Pod {
  const { name = 'web', uid = `uid-${name}`, containers = [app], ids = { app: 'containerd://app-1' }, metas, owned = true } = shape;
  const owner = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'owner', controller: true };
  const condition =
    shape.inPlaceUpdateReady === undefined ? [] : [{ type: podConditions.inPlaceUpdateReady, status: shape.inPlaceUpdateReady }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid,
      annotations: {
        cfg: 'one',
        ...shape.annotations,
        ...(metas === undefined ? {} : { [annotations.runtimeContainersMeta]: formatRuntimeMeta(metas) }),
      },
      ...(owned ? { ownerReferences: [owner] } : {}),
      ...(shape.deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { nodeName: node, containers },
    status: {
      phase: 'Running',
      conditions: condition,
      containerStatuses: Object.entries(ids)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(statusOf),
    },
  };
}

export interface ContainerShape {
  readonly id?: string;
  readonly pod?: Pod;
  readonly spec?: Container;
  readonly state?: ScriptedContainer['state'];
  /** Nanoseconds. */
  readonly createdAt?: string;
  readonly restartCount?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Returns a container as the kubelet would have created it from `spec`. */
export function aContainer(shape: ContainerShape = {}): ScriptedContainer {
  const {
    id = 'app-1',
    pod = aNodePod(),
    spec = app,
    state = 'CONTAINER_RUNNING',
    createdAt = '1763731200000000001',
    restartCount = 0,
    env = { CFG: 'one' },
  } = shape;
  return {
    id,
    podSandboxId: `sandbox-${pod.metadata.uid}`,
    metadata: { name: spec.name, attempt: restartCount },
    imageRef: 'sha256:1',
    state,
    createdAt,
    ...(state === 'CONTAINER_CREATED' ? {} : { startedAt: createdAt }),
    env,
    labels: {
      'io.kubernetes.pod.name': pod.metadata.name,
      'io.kubernetes.pod.namespace': pod.metadata.namespace ?? '',
      'io.kubernetes.pod.uid': pod.metadata.uid ?? '',
      'io.kubernetes.container.name': spec.name,
    },
    annotations: {
      'io.kubernetes.container.hash': plainHash(spec).toString(16),
      'io.kubernetes.container.restartCount': String(restartCount),
      'io.kubernetes.pod.terminationGracePeriod': '30',
      ...shape.annotations,
    },
  };
}

/** Adds a container and the sandbox of its Pod to the runtime. */
export function runContainer(runtime: ScriptedRuntime, pod: Pod, shape: Omit<ContainerShape, 'pod'> = {}): ScriptedContainer {
  const container = aContainer({ ...shape, pod });
  const { name, namespace = '', uid = '' } = pod.metadata;
  runtime.sandboxes.set(container.podSandboxId, { id: container.podSandboxId, name, namespace, uid, ip: '127.0.0.1' });
  runtime.containers.set(container.id, container);
  return container;
}

/** Returns what a call does to the node, in words; undefined for one that only reads. */
function effectOf({ method, request }: RecordedCall): string | undefined {
  const asked = request as {
    readonly image?: { readonly image: string };
    readonly containerId: string;
    readonly timeout: string;
    readonly cmd: readonly string[];
  };
  switch (method) {
    case 'PullImage':
      return asked.image?.image ?? '';
    case 'StopContainer':
      return `${asked.containerId}, timeout ${asked.timeout} s`;
    case 'ExecSync':
      return `${asked.containerId} ${asked.cmd.join(' ')}`;
    default:
      return undefined;
  }
}

/** Records every call that changes the node, as the runtime receives it. */
export function recordCalls(timeline: Timeline, runtime: ScriptedRuntime): void {
  runtime.onCall = (call) => {
    const effect = effectOf(call);
    if (effect !== undefined) timeline.record(`runtime ${call.method} ${effect}`);
  };
}
