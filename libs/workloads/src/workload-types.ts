/** The workloads that every cluster has, as far as the manager holds them. */
import type { IntOrPercent, KubeObject, LabelSelector, ResourceType } from '@kruise/objects';

/** The update strategy of a workload, wherever a kind defines it. */
export interface WorkloadStrategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly partition?: IntOrPercent; readonly maxUnavailable?: IntOrPercent } | null;
}

/** The part of a Pod template that caches hold: equal ones are equal, and its labels are there to be selected by. */
export interface HeldTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  /** Of all but the labels; absent in an object that comes from the API server. */
  readonly digest?: string;
}

/** Replicas, selector, ordinals and the like, as all of them are declared; members that a kind does not have are absent. */
export interface BuiltInWorkload extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector | null;
    readonly ordinals?: { readonly start?: number } | null;
    readonly template?: HeldTemplate;
    /** Of StatefulSets. */
    readonly updateStrategy?: WorkloadStrategy | null;
    /** Of Deployments. */
    readonly strategy?: WorkloadStrategy | null;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    /** Of DaemonSets. */
    readonly desiredNumberScheduled?: number;
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

/** `apps/v1` Deployments. */
export const deployments = apps('Deployment', 'deployments');
/** `apps/v1` ReplicaSets. */
export const replicaSets = apps('ReplicaSet', 'replicasets');
/** Those of group `apps`; `daemonSets` of @kruise/api are the Advanced ones. */
export const builtInDaemonSets = apps('DaemonSet', 'daemonsets');
/** Those of group `apps`; `statefulSets` of @kruise/api are the Advanced ones. */
export const builtInStatefulSets = apps('StatefulSet', 'statefulsets');
/** `v1` ReplicationControllers. */
export const replicationControllers: ResourceType<ReplicationController> = {
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
};
