/** Core types of the built-in kinds that the project works with, read-only, with the members that `kubernetes-types` does not know yet. */
import type * as core from 'kubernetes-types/core/v1.d.ts';
import type { DeepReadonly, KubeObject, ObjectMeta } from './kube-object.ts';

/** Requests and limits of a container by resource name, as quantities in text. */
export type ResourceRequirements = DeepReadonly<core.ResourceRequirements>;
/** One environment variable of a container: a `value`, or a `valueFrom` that the kubelet resolves when the container starts. */
export type EnvVar = DeepReadonly<core.EnvVar>;
/** A liveness, readiness or startup probe; the members that say times are in seconds. */
export type Probe = DeepReadonly<core.Probe>;
/** A volume of a Pod; exactly one member besides `name` says its source. */
export type Volume = DeepReadonly<core.Volume>;
/** `resizePolicy` per resource (`cpu`, `memory`): whether the kubelet restarts the container to resize it. */
export type Container = DeepReadonly<core.Container>;
/** What the kubelet reports of one container, init containers included. */
export type ContainerStatus = DeepReadonly<core.ContainerStatus>;
/** One condition of a Pod's status; times are RFC 3339, to the second. */
export type PodCondition = DeepReadonly<core.PodCondition>;
/** The spec of a Pod, with `containers` always there; other members may be missing in templates that nothing has defaulted. */
export type PodSpec = DeepReadonly<core.PodSpec>;
/** What scheduler and kubelet report of a Pod; readiness gates are conditions in it, which others may write. */
export type PodStatus = DeepReadonly<core.PodStatus>;
/** What is asked of a node: taints, `unschedulable`, Pod addresses. */
export type NodeSpec = DeepReadonly<core.NodeSpec>;
/** What a claim asks for. Once it is bound, hardly more than `resources.requests` can be changed. */
export type PersistentVolumeClaimSpec = DeepReadonly<core.PersistentVolumeClaimSpec>;

/** Metadata of a template: an object's, but even the name may be absent. */
export type TemplateMeta = Partial<ObjectMeta>;

/** The template of a workload, not defaulted and not validated: any member may be missing. */
export interface PodTemplateSpec {
  readonly metadata?: TemplateMeta;
  readonly spec?: PodSpec;
}

/** A Pod as the API server serves it. Stores share it, so it is never changed in place. */
export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/** A node as the API server serves it. */
export interface Node extends KubeObject {
  readonly spec?: NodeSpec;
  readonly status?: DeepReadonly<core.NodeStatus>;
}

/** A claim for storage as the API server serves it; its status may be missing right after creation. */
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
