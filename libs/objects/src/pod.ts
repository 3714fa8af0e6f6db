/** Core types of the built-in kinds that the project works with, read-only, with the members that `kubernetes-types` does not know yet. */
import type * as core from 'kubernetes-types/core/v1.d.ts';
import type { DeepReadonly, KubeObject, ObjectMeta } from './kube-object.ts';

export type ResourceRequirements = DeepReadonly<core.ResourceRequirements>;
export type EnvVar = DeepReadonly<core.EnvVar>;
export type Probe = DeepReadonly<core.Probe>;
export type Volume = DeepReadonly<core.Volume>;
/** `resizePolicy` per resource (`cpu`, `memory`): whether the kubelet restarts the container to resize it. */
export type Container = DeepReadonly<core.Container>;
export type ContainerStatus = DeepReadonly<core.ContainerStatus>;
export type PodCondition = DeepReadonly<core.PodCondition>;
export type PodSpec = DeepReadonly<core.PodSpec>;
export type PodStatus = DeepReadonly<core.PodStatus>;
export type NodeSpec = DeepReadonly<core.NodeSpec>;
export type PersistentVolumeClaimSpec = DeepReadonly<core.PersistentVolumeClaimSpec>;

/** Metadata of a template: an object's, but even the name may be absent. */
export type TemplateMeta = Partial<ObjectMeta>;

export interface PodTemplateSpec {
  readonly metadata?: TemplateMeta;
  readonly spec?: PodSpec;
}

export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface Node extends KubeObject {
  readonly spec?: NodeSpec;
  readonly status?: DeepReadonly<core.NodeStatus>;
}

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: DeepReadonly<core.PersistentVolumeClaimStatus>;
}

/** A template of claims: like a claim, but its name is all that must be there. */
export type PersistentVolumeClaimTemplate = PersistentVolumeClaim;

/** `data` is any JSON; the workload kinds store `{"spec":{"template":…}}` there. */
export interface ControllerRevision extends KubeObject {
  readonly data?: unknown;
  readonly revision: number;
}
