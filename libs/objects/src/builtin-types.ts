/** The built-in kinds that the project reads or writes, as the API server serves them. */
import type { KubeObject, ResourceType } from './metadata/kube-object.ts';
import type { ControllerRevision, Node, PersistentVolumeClaim, Pod } from './pods/pod.ts';

const core = <T extends KubeObject>(kind: string, plural: string, namespaced = true): ResourceType<T> => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});

/** The resource types of the built-in kinds of the core group, version v1. Nodes and namespaces are cluster-scoped. */
export const pods: ResourceType<Pod> = core('Pod', 'pods');
export const nodes: ResourceType<Node> = core('Node', 'nodes', false);
export const persistentVolumeClaims: ResourceType<PersistentVolumeClaim> = core('PersistentVolumeClaim', 'persistentvolumeclaims');
export const events: ResourceType = core('Event', 'events');
export const namespaces: ResourceType = core('Namespace', 'namespaces', false);

/** `data` values are base64. */
export interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}
/** The resource type of Secrets. */
export const secrets: ResourceType<Secret> = core('Secret', 'secrets');

/** `data` values are UTF-8 text; `binaryData` is not read here. */
export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}
/** The resource type of ConfigMaps. */
export const configMaps: ResourceType<ConfigMap> = core('ConfigMap', 'configmaps');

/** The resource type of the ControllerRevisions of group apps, in which workloads keep their former templates. */
export const controllerRevisions: ResourceType<ControllerRevision> = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
};

/** Times of `spec` are `metav1.MicroTime`. */
export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}
/** The resource type of the Leases by which a leader is elected. */
export const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** The resource type of CRDs; their objects are read as plain members. */
export const customResourceDefinitions: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
/** The resource type of the configurations of mutating webhooks; cluster-scoped. */
export const mutatingWebhookConfigurations: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
/** The resource type of the configurations of validating webhooks; cluster-scoped. */
export const validatingWebhookConfigurations: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};

/** The fields that define what claims of the class may do. */
export interface StorageClass extends KubeObject {
  /** Absent counts as false. */
  readonly allowVolumeExpansion?: boolean;
}
/** The resource type of StorageClasses. */
export const storageClasses: ResourceType<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
};

/** A Job of group batch. Its completion is read, and it is created from a template unchanged. */
export interface Job extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: {
    readonly startTime?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}
/** The resource type of Jobs. */
export const jobs: ResourceType<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
