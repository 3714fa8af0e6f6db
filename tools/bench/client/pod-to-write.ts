/** The pods that both clients write: realistic ones, bound to no node, so that no other program changes them. */
import type { Pod } from '@kruise/objects';
import { realisticPod } from '../store/realistic-pod.ts';

export interface PodToWrite {
  readonly name: string;
  readonly pod: Pod;
  readonly status: NonNullable<Pod['status']>;
}

/** @param writer goes into the name, so that two clients do not meet */
export function podToWrite(at: number, namespace: string, writer: string): PodToWrite {
  const { metadata, spec, status } = realisticPod(at);
  const { nodeName: _unbound, ...rest } = spec;
  const name = `${writer}-${at}`;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} },
    spec: { ...rest, schedulerName: 'nobody' },
  };
  return { name, pod, status: status ?? {} };
}

/** What a patch changes: an annotation, as most writes of controllers do. */
export const patchOf = (at: number): object => ({ metadata: { annotations: { 'bench/mark': `${process.hrtime.bigint()}-${at}` } } });
