/** Core types of the built-in kinds that the project uses, read-only, with the members that `kubernetes-types` lacks. */
import type * as core from 'kubernetes-types/core/v1.d.ts';
import type { DeepReadonly, KubeObject, ObjectMeta } from '../metadata/kube-object.ts';

/** Requests and limits of a container by resource name, as quantities in text. */
export type ResourceRequirements = DeepReadonly<core.ResourceRequirements>;
/** One environment variable of a container: a `value`, or a `valueFrom` that the kubelet resolves when the container starts. */
export type EnvVar = DeepReadonly<core.EnvVar>;
/** A volume of a Pod; exactly one member besides `name` is its source. */
export type Volume = DeepReadonly<core.Volume>;
/** `resizePolicy` per resource (`cpu`, `memory`): whether the kubelet restarts the container to resize it. */
export type Container = DeepReadonly<core.Container>;
/** The status of one container that the kubelet reports, including init containers. */
export type ContainerStatus = DeepReadonly<core.ContainerStatus>;
/** One condition of a Pod's status; times are RFC 3339, to the second. */
export type PodCondition = DeepReadonly<core.PodCondition>;
/** The spec of a Pod. `containers` is always set; other members may be missing in templates without defaults. */
export type PodSpec = DeepReadonly<core.PodSpec>;
/** The status of a Pod that scheduler and kubelet report. Readiness gates are conditions in it, which other clients may write. */
export type PodStatus = DeepReadonly<core.PodStatus>;
/** The desired state of a node: taints, `unschedulable`, Pod addresses. */
type NodeSpec = DeepReadonly<core.NodeSpec>;
/** What a claim requests. Once it is bound, hardly more than `resources.requests` can be changed. */
type PersistentVolumeClaimSpec = DeepReadonly<core.PersistentVolumeClaimSpec>;

/** Metadata of a template: that of an object, but even the name may be absent. */
export type TemplateMeta = Partial<ObjectMeta>;

/** The template of a workload, without defaults and not validated: any member may be missing. */
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

/** A claim for storage as the API server serves it. Its status may be missing right after creation. */
export interface PersistentVolumeClaim extends KubeObject {
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: DeepReadonly<core.PersistentVolumeClaimStatus>;
}

/** A template of claims: like a claim, but only its name is required. */
export type PersistentVolumeClaimTemplate = PersistentVolumeClaim;

/** `data` is any JSON; the workload kinds store `{"spec":{"template":…}}` there. */
export interface ControllerRevision extends KubeObject {
  readonly data?: unknown;
  readonly revision: number;
}
