/** The built-in kinds that the project reads or writes, as the API server serves them. */
import type { KubeObject, ResourceType } from './kube-object.ts';
import type { ControllerRevision, Node, PersistentVolumeClaim, Pod } from './pod.ts';

const core = <T extends KubeObject>(kind: string, plural: string, namespaced = true): ResourceType<T> => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced,
});

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
export const secrets: ResourceType<Secret> = core('Secret', 'secrets');

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}
export const configMaps: ResourceType<ConfigMap> = core('ConfigMap', 'configmaps');

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
export const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

export const customResourceDefinitions: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
export const mutatingWebhookConfigurations: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: false,
};
export const validatingWebhookConfigurations: ResourceType = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
};
