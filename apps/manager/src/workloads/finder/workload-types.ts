/** The workloads that every cluster has, as far as the finder reads them. */
import type { KubeObject, LabelSelector, ResourceType } from '@kruise/objects';

/** Replicas, selector and ordinals, as all of them are declared; members that a kind does not have are absent. */
export interface BuiltInWorkload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector | null;
    readonly ordinals?: { readonly start?: number } | null;
  };
}

/** Its selector is a map of labels. */
export interface ReplicationController extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly selector?: Readonly<Record<string, string>> | null };
}

const apps = (kind: string, plural: string): ResourceType<BuiltInWorkload> => ({
  group: 'apps',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

export const deployments = apps('Deployment', 'deployments');
export const replicaSets = apps('ReplicaSet', 'replicasets');
/** Those of group `apps`; `statefulSets` of @kruise/api are the Advanced ones. */
export const builtInStatefulSets = apps('StatefulSet', 'statefulsets');
export const replicationControllers: ResourceType<ReplicationController> = {
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
};
