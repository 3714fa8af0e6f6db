export { addToList } from './add-to-list.ts';
export { apiVersionOf, byName, formatKey, identityIn, isTerminating, keyOf, parseKey } from './metadata/kube-object.ts';
export type { DeepReadonly, Json, KubeObject, ObjectKey, ObjectMeta, OwnerReference, ResourceType } from './metadata/kube-object.ts';
export { earliest, formatMicroTime, formatTime, instant, milliseconds, parseTime, seconds, shortest } from './values/time.ts';
export type { Instant, Milliseconds } from './values/time.ts';
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
export { unreachable } from './pods/unreachable.ts';
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
} from './pods/pod.ts';
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
export { byteText } from './text/byte-text.ts';
export { canonicalJson, goString } from './json/canonical-json.ts';
export { closestText } from './text/closest-text.ts';
export { findCondition, isConditionTrue, progressConditionRule, removeCondition, setCondition } from './metadata/conditions.ts';
export type { Condition, ConditionRule, StoredCondition } from './metadata/conditions.ts';
export { formatDuration, parseDuration } from './values/duration.ts';
export { counted } from './text/counted.ts';
export { messageOf } from './text/error-message.ts';
export { memoized, memoizedPair, memoizedWith } from './memoized.ts';
export { equalEnds, memoizedList } from './memoized-list.ts';
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
export { hasFinalizer, withFinalizer, withoutFinalizer } from './metadata/finalizers.ts';
export { fnv1, fnv1a } from './hashes/fnv.ts';
export { parseInt32, parseIntOrPercent, scaleIntOrPercent, scaleIntOrPercentOr } from './values/int-or-percent.ts';
export type { IntOrPercent, Rounding } from './values/int-or-percent.ts';
export { matchAll, matchNothing, requirement } from './selectors/label-matcher.ts';
export type { LabelMatcher, LabelOperator, LabelRequirement } from './selectors/label-matcher.ts';
export {
  isEmptyLabelSelector,
  labelMatcherOf,
  labelMatcherOrNothing,
  labelSelectorFaults,
  validateLabelSelector,
} from './selectors/label-selector.ts';
export type { LabelSelector, LabelSelectorExpression } from './selectors/label-selector.ts';
export { parseJsonText } from './json/escaped-keys.ts';
export { parseLossless, stringifyLossless } from './json/lossless-json.ts';
export {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
  isApiPathPart,
  isApiVersion,
  isPathSegmentName,
} from './metadata/names.ts';
export {
  controllerOf,
  groupOf,
  isControlledBy,
  isOwnedBy,
  newControllerRef,
  refersToKind,
  withOwner,
  withoutOwner,
} from './metadata/owner-references.ts';
export { isNodeLost, isNodeReady } from './pods/node-state.ts';
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
} from './pods/pod-state.ts';
export { hashedSuffix, randomSuffix } from './hashes/random-suffix.ts';
export { compileRe2 } from './re2/re2.ts';
export type { CompiledRe2 } from './re2/re2.ts';
export { compareResourceVersions } from './metadata/resource-version.ts';
export { safeAlphabet, safeEncode } from './hashes/safe-alphabet.ts';
export { formatLabelMatcher, parseSelectorText } from './selectors/selector-text.ts';
export { compareUtf8, sortUtf8 } from './text/utf8-order.ts';
export { deepCopy, deepFreeze, setIn } from './json/copy.ts';
export type { Path } from './json/copy.ts';
export { deepEqual, semanticEqual } from './json/equality.ts';
export { familiarImageReference, imageTaskOf, isSameImage, isSameRepository, parseImageReference } from './pods/image-reference.ts';
export type { ImageTask } from './pods/image-reference.ts';
export { minorVersionOf } from './values/kubernetes-version.ts';
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
} from './json/own-member.ts';
export { changeMember, metadataValue, withMembers, withMetadataValues } from './with-members.ts';
export { hasText, splitWords } from './text/text-lists.ts';
export type { JsonObject } from './json/own-member.ts';
export { qosClassOf } from './pods/qos.ts';
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
} from './values/quantity.ts';
export type { Quantity } from './values/quantity.ts';
export { createJsonPatch } from './patches/json-patch-diff.ts';
export { applyJsonPatch } from './patches/json-patch.ts';
export type { JsonPatchOperation } from './patches/json-patch.ts';
export { parseMetadataFieldPath } from './metadata/metadata-field-path.ts';
export { applyMergePatch, createMergePatch } from './patches/merge-patch.ts';
export { applyStrategicMergePatch } from './strategic-merge-patch/apply.ts';
export { patchSchemaOf, podPatchSchema, podSpecPatchSchema, podTemplateSpecPatchSchema } from './strategic-merge-patch/builtin-schemas.ts';
export { createStrategicMergePatch, isEmptyPatch } from './strategic-merge-patch/create.ts';
export type { MemberRule, PatchSchema } from './strategic-merge-patch/patch-schema.ts';
export type { Failed, Guard, PlannedAction, PlanResult, Refused, Stage, StageResult } from './plan.ts';
export type { Index } from './metadata/object-index.ts';
export { toBase64 } from './text/base64.ts';
export { containerStartFailures, imagePullFailures } from './pods/waiting-reasons.ts';
