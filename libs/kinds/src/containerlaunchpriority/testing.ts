/** Pods with levels for the tests of this folder. */
import type { ContainerStatus, Pod } from '@kruise/objects';
import { aPod, type PodShape } from '@kruise/testing';
import { barrierEnv } from './barrier.ts';

export interface Held {
  readonly name: string;
  /** Absent: without a barrier. */
  readonly level?: number;
  /** Absent: without a status. */
  readonly ready?: boolean;
  /** What the kubelet misses. */
  readonly missing?: string;
}

const statusOf = ({ name, ready, missing }: Held): readonly ContainerStatus[] =>
  ready === undefined
    ? []
    : [
        {
          name,
          ready,
          image: 'app:1',
          imageID: '',
          restartCount: 0,
          ...(missing === undefined ? {} : { state: { waiting: { reason: 'CreateContainerConfigError', message: missing } } }),
        },
      ];

/** A Pod `web` with these containers. */
export function aHeldPod(containers: readonly Held[], shape: PodShape = {}): Pod {
  const pod = aPod({ name: 'web', ready: false, ...shape });
  const { name: podName } = pod.metadata;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(({ name, level }) => ({
        name,
        image: 'app:1',
        ...(level === undefined ? {} : { env: [barrierEnv(podName, level)] }),
      })),
    },
    status: { ...pod.status, containerStatuses: containers.flatMap(statusOf) },
  };
}
