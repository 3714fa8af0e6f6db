/** The workloads of the scenarios. All have the Pod template of the CloneSet. */
import type { CloneSet, SidecarSet } from '@kruise/api';
import { apiVersionOf, type KubeObject, type ResourceType } from '@kruise/objects';
import { manifest } from './manifest.ts';

/** Where the objects of the scenarios are. */
export const namespace = 'bench';
/** Of the CloneSet. */
export const name = 'web';

const clone = manifest<CloneSet>('clone-set.yaml');
export const sidecarSet = manifest<SidecarSet>('sidecar-set.yaml');

export const image = (version: number): string => `registry.example.com/team/web:v${version}`;

export function cloneSet(replicas: number): CloneSet {
  const read = clone();
  return { ...read, spec: { ...read.spec, replicas } };
}

/**
 * A workload of another type.
 *
 * @param spec without selector and template
 * @param podSpec what its Pods have besides
 */
export function workload<T extends KubeObject>(type: ResourceType<T>, app: string, spec: object, podSpec: object = {}): T {
  const { template } = cloneSet(1).spec;
  const labels = { app };
  const ofPods = { metadata: { ...template.metadata, labels }, spec: { ...template.spec, ...podSpec } };
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { name: app, namespace, labels },
    spec: { selector: { matchLabels: labels }, template: ofPods, ...spec },
  } as unknown as T;
}

/** A workload of Kubernetes. */
export const builtIn = (kind: 'ReplicaSet' | 'StatefulSet'): ResourceType<KubeObject> => ({
  group: 'apps',
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
});

/** JSON patches. */
export const replace = (path: string, value: unknown): object => ({ op: 'replace', path, value });
export const newImage = (version: number): object => replace('/spec/template/spec/containers/0/image', image(version));
