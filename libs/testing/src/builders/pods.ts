/** Pods for tests, with valid defaults: a test names only what it checks. */
import { labels } from '@kruise/api';
import { formatTime, instant, type Instant, type OwnerReference, type Pod } from '@kruise/objects';

/** The instant that builders count from: 2026-01-01T00:00:00Z. */
export const epoch: Instant = instant(Date.UTC(2026, 0, 1));

/** The fields of a Pod that a test sets; the rest is filled in. */
export interface PodShape {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly owner?: OwnerReference;
  /** Ready since {@link epoch}; true by default. */
  readonly ready?: boolean;
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  /** '' for a Pod that is not scheduled. */
  readonly node?: string;
  readonly image?: string;
  readonly terminating?: boolean;
  readonly restarts?: number;
  readonly createdAt?: Instant;
}

let count = 0;

/** Returns a running, ready Pod with one container `main`, in lifecycle state Normal, with the changes of `shape`. */
export function aPod(shape: PodShape = {}): Pod {
  const {
    name = `pod-${++count}`,
    namespace = 'default',
    ready = true,
    phase = 'Running',
    node = 'node1',
    image = 'app:1',
    restarts = 0,
  } = shape;
  const since = formatTime(epoch);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: shape.uid ?? `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: formatTime(shape.createdAt ?? epoch),
      labels: { [labels.lifecycleState]: 'Normal', ...shape.labels },
      ...(shape.annotations === undefined ? {} : { annotations: shape.annotations }),
      ...(shape.finalizers === undefined ? {} : { finalizers: shape.finalizers }),
      ...(shape.owner === undefined ? {} : { ownerReferences: [shape.owner] }),
      ...(shape.terminating === true ? { deletionTimestamp: since } : {}),
    },
    spec: {
      containers: [{ name: 'main', image }],
      readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
      ...(node === '' ? {} : { nodeName: node }),
    },
    status: {
      phase,
      conditions: [
        { type: 'InPlaceUpdateReady', status: 'True', lastTransitionTime: since },
        { type: 'ContainersReady', status: ready ? 'True' : 'False', lastTransitionTime: since },
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since },
      ],
      containerStatuses: [
        {
          name: 'main',
          image,
          imageID: `sha256:${image}`,
          containerID: `containerd://${name}`,
          ready,
          restartCount: restarts,
          state: { running: { startedAt: since } },
        },
      ],
    },
  };
}
