export { apiVersionOf, formatKey, keyOf, parseKey } from './kube-object.ts';
export type { DeepReadonly, Json, KubeObject, ObjectKey, ObjectMeta, OwnerReference, ResourceType } from './kube-object.ts';
export { formatMicroTime, formatTime, instant, milliseconds, parseTime, seconds } from './time.ts';
export type { Instant, Milliseconds } from './time.ts';
export { unreachable } from './unreachable.ts';
export type {
  Container,
  ContainerStatus,
  ControllerRevision,
  EnvVar,
  Node,
  NodeSpec,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  Probe,
  ResourceRequirements,
  TemplateMeta,
  Volume,
} from './pod.ts';
export {
  configMaps,
  controllerRevisions,
  customResourceDefinitions,
  events,
  leases,
  mutatingWebhookConfigurations,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  secrets,
  validatingWebhookConfigurations,
} from './builtin-types.ts';
export type { ConfigMap, Lease, Secret } from './builtin-types.ts';
