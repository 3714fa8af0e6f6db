export { apiVersionOf, byName, formatKey, keyOf, parseKey } from './kube-object.ts';
export type { DeepReadonly, Json, KubeObject, ObjectKey, ObjectMeta, OwnerReference, ResourceType } from './kube-object.ts';
export { earliest, formatMicroTime, formatTime, instant, milliseconds, parseTime, seconds, shortest } from './time.ts';
export type { Instant, Milliseconds } from './time.ts';
export {
  admissionLimits,
  agentLimits,
  exporterLimits,
  imageLimits,
  limitAreas,
  referenceLimits,
  serverLimits,
  workloadLimits,
} from './limits/index.ts';
export type { Limit } from './limits/index.ts';
export { unreachable } from './unreachable.ts';
export type {
  Container,
  ContainerStatus,
  ControllerRevision,
  EnvVar,
  Node,
  PersistentVolumeClaim,
  PersistentVolumeClaimTemplate,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  ResourceRequirements,
  TemplateMeta,
  Volume,
} from './pod.ts';
export {
  configMaps,
  controllerRevisions,
  customResourceDefinitions,
  events,
  jobs,
  leases,
  mutatingWebhookConfigurations,
  namespaces,
  nodes,
  persistentVolumeClaims,
  pods,
  secrets,
  storageClasses,
  validatingWebhookConfigurations,
} from './builtin-types.ts';
export type { ConfigMap, Job, Lease, Secret, StorageClass } from './builtin-types.ts';
export { byteText } from './byte-text.ts';
export { canonicalJson, goString } from './canonical-json.ts';
export { closestText } from './closest-text.ts';
export { findCondition, isConditionTrue, progressConditionRule, removeCondition, setCondition } from './conditions.ts';
export type { Condition, ConditionRule, StoredCondition } from './conditions.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { messageOf } from './error-message.ts';
export { memoized, memoizedPair, memoizedWith } from './memoized.ts';
export {
  fieldDuplicate,
  fieldForbidden,
  fieldInternal,
  fieldInvalid,
  fieldKey,
  fieldNotFound,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  fieldTooMany,
  fieldTypeInvalid,
  formatFieldError,
  formatFieldErrors,
  mostListedErrors,
} from './field-error.ts';
export type { FieldError } from './field-error.ts';
export { hasFinalizer, withFinalizer, withoutFinalizer } from './finalizers.ts';
export { fnv1, fnv1a } from './fnv.ts';
export { parseInt32, parseIntOrPercent, scaleIntOrPercent, scaleIntOrPercentOr } from './int-or-percent.ts';
export type { IntOrPercent, Rounding } from './int-or-percent.ts';
export { matchAll, matchNothing, requirement } from './label-matcher.ts';
export type { LabelMatcher, LabelOperator, LabelRequirement } from './label-matcher.ts';
export {
  isEmptyLabelSelector,
  labelMatcherOf,
  labelMatcherOrNothing,
  labelSelectorFaults,
  validateLabelSelector,
} from './label-selector.ts';
export type { LabelSelector, LabelSelectorExpression } from './label-selector.ts';
export { parseJsonText } from './escaped-keys.ts';
export { parseLossless, stringifyLossless } from './lossless-json.ts';
export {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
  isApiPathPart,
  isApiVersion,
  isPathSegmentName,
} from './names.ts';
export {
  controllerOf,
  groupOf,
  isControlledBy,
  isOwnedBy,
  newControllerRef,
  refersToKind,
  withOwner,
  withoutOwner,
} from './owner-references.ts';
export { isNodeLost, isNodeReady } from './node-state.ts';
export {
  containerStatusOf,
  hasReadinessGate,
  initContainerStatusOf,
  isPodActive,
  isPodFinished,
  isPodAvailable,
  isPodReady,
  podCondition,
  podPhaseRank,
  recomputeReady,
} from './pod-state.ts';
export { hashedSuffix, randomSuffix } from './random-suffix.ts';
export { compileRe2 } from './re2/re2.ts';
export type { CompiledRe2 } from './re2/re2.ts';
export { compareResourceVersions } from './resource-version.ts';
export { safeEncode } from './safe-alphabet.ts';
export { formatLabelMatcher, parseSelectorText } from './selector-text.ts';
export { compareUtf8, sortUtf8 } from './utf8-order.ts';
export { deepCopy, deepFreeze, setIn } from './copy.ts';
export type { Path } from './copy.ts';
export { deepEqual, semanticEqual } from './equality.ts';
export { familiarImageReference, imageTaskOf, isSameImage, isSameRepository, parseImageReference } from './image-reference.ts';
export type { ImageTask } from './image-reference.ts';
export { minorVersionOf } from './kubernetes-version.ts';
export {
  isJsonObject,
  isUnset,
  listAt,
  memberAt,
  membersAt,
  numberAt,
  objectAt,
  objectsAt,
  ownMember,
  setOwnMember,
  stringAt,
  textAt,
} from './own-member.ts';
export { changeMember, metadataValue, withMembers, withMetadataValues } from './with-members.ts';
export { hasText, splitWords } from './text-lists.ts';
export type { JsonObject } from './own-member.ts';
export { qosClassOf } from './qos.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  equalQuantities,
  formatQuantity,
  formatQuantityText,
  parseQuantity,
  quantityMilliValue,
  quantityToNumber,
  quantityValue,
  roundUpToMilli,
  subtractQuantities,
} from './quantity.ts';
export type { Quantity } from './quantity.ts';
export { createJsonPatch } from './json-patch-diff.ts';
export { applyJsonPatch } from './json-patch.ts';
export type { JsonPatchOperation } from './json-patch.ts';
export { parseMetadataFieldPath } from './metadata-field-path.ts';
export { applyMergePatch, createMergePatch } from './merge-patch.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch/apply.ts';
export { patchSchemaOf, podPatchSchema, podSpecPatchSchema, podTemplateSpecPatchSchema } from './strategic-merge-patch/builtin-schemas.ts';
export { createStrategicMergePatch, isEmptyPatch } from './strategic-merge-patch/create.ts';
export type { MemberRule, PatchSchema } from './strategic-merge-patch/patch-schema.ts';
export type { Failed, Guard, PlannedAction, PlanResult, Refused, Stage, StageResult } from './plan.ts';
export type { Index } from './object-index.ts';
export { toBase64 } from './base64.ts';
export { containerStartFailures, imagePullFailures } from './waiting-reasons.ts';
