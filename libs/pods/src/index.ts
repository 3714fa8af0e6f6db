export { decideClaim } from './claim.ts';
export type { ClaimDecision, Claimant } from './claim.ts';

export { applyUpdate, resourceWritingFor, withUpdateState, withoutGrace } from './inplace/apply-update.ts';
export type { AppliedUpdate, ApplyContext, ResourceWriting } from './inplace/apply-update.ts';
export { containersCompletion, runsSpecImage, updateCompletion } from './inplace/completion.ts';
export type { Completion, ImageChange } from './inplace/completion.ts';
export { chooseBatch, launchPriority } from './inplace/container-batch.ts';
export type { ContainerWishes } from './inplace/container-batch.ts';
export { metadataEnvs } from './inplace/env-from-metadata.ts';
export type { MetadataEnv } from './inplace/env-from-metadata.ts';
export { imageIdsOf } from './inplace/image-ids.ts';
export { isSameImageRef, normalizeImageRef } from './inplace/image-ref.ts';
export { metadataPatchBetween, patchMetadata } from './inplace/metadata-patch.ts';
export { planInPlaceUpdate } from './inplace/plan-in-place-update.ts';
export type { InPlaceDecision, InPlaceGates, InPlaceOptions } from './inplace/plan-in-place-update.ts';
export { isAtRest, planRefresh } from './inplace/plan-refresh.ts';
export type { RefreshContext, RefreshStep } from './inplace/plan-refresh.ts';
export { qosClassOf } from './inplace/qos-class.ts';
export type { QosClass } from './inplace/qos-class.ts';
export { afterResize, resizePatch, supportsResize } from './inplace/resize.ts';
export type { ResizePatch } from './inplace/resize.ts';
export {
  firstInconsistent,
  formatRuntimeMeta,
  legacyPlainHash,
  metadataEnvHash,
  metadataEnvHashOf,
  plainHash,
  runtimeMetaOf,
} from './inplace/runtime-meta.ts';
export type { HashKind, RuntimeContainerMeta } from './inplace/runtime-meta.ts';
export { mustLeaveService, restartsForResize, startUpdate, takeOutOfService } from './inplace/start-update.ts';
export type { StartContext, StartedUpdate } from './inplace/start-update.ts';
export { formatUpdateSpec, parseObject, parseUpdateSpec, structJson } from './inplace/update-spec.ts';
export type { MetadataPatch, Parsed, RefMetadata, UpdateSpec } from './inplace/update-spec.ts';
export {
  formatUpdateState,
  graceSpecOf,
  hasNextBatch,
  hasUnreadableUpdate,
  parseUpdateState,
  updateStateFrom,
  updateStateOf,
} from './inplace/update-state.ts';
export type { ContainerBatch, InPlaceUpdateState, Stored } from './inplace/update-state.ts';

export { isAllHooked, isHooked, lifecycleStateOf } from './lifecycle-state.ts';
export type { LifecycleState } from './lifecycle-state.ts';
export {
  canUndelete,
  lifecycleMetadata,
  planLifecycleForDelete,
  planLifecycleForUpdate,
  planLifecycleRefresh,
  planLifecycleUndelete,
  preDeleteHookKey,
  preUpdateHookKey,
  staleLifecycleKeys,
} from './lifecycle/plan-lifecycle.ts';
export type { DeleteAdmission, LifecyclePatch, LifecycleSeen, LifecycleTransition, UpdateAdmission } from './lifecycle/plan-lifecycle.ts';

export { daemonTolerations } from './placement/daemon-tolerations.ts';
export { boundByScheduler, nodeOf } from './placement/node-binding.ts';
export { daemonFit, isFitFor, jobFit } from './placement/node-fit.ts';
export type { DaemonFit } from './placement/node-fit.ts';
export { nodeSelection } from './placement/node-selection.ts';
export { pendingTimeout } from './placement/pending-timeout.ts';
export type { PendingTimeout } from './placement/pending-timeout.ts';
export { isEmptyTerm, joinFault, narrowedTerms, requiredTermsOf, requireNodeTerm } from './placement/require-node-term.ts';
export type { NodeTerm } from './placement/require-node-term.ts';
export { toleranceOf, type Tolerance } from './placement/tolerations.ts';

export { partitionInPods } from './ranking/partition.ts';
export { rankByPriority, rankForUpdate } from './ranking/rank-for-update.ts';
export type { UpdateRanking } from './ranking/rank-for-update.ts';
export { deletionCostOf, nodeSpreadRanks, rankForDeletion, rankSurplus, topologySpreadRanks } from './ranking/rank-for-deletion.ts';
export type { PodRanks } from './ranking/rank-for-deletion.ts';
export { scatterPods } from './ranking/scatter.ts';
export { validateOrderSizes, validatePriorityStrategy, validateScatterStrategy } from './ranking/update-strategy.ts';
export type { OrderTerm, ScatterTerm, WeightTerm } from './ranking/update-strategy.ts';

export { isPodUpdateAvailable, isPodUpdateReady } from './readiness/availability.ts';
export {
  addNotReadyKey,
  firstKruisePodReady,
  formatNotReadyKeys,
  hasNotReadyKey,
  lacksKruisePodReady,
  parseNotReadyKeys,
  removeNotReadyKey,
} from './readiness/kruise-pod-ready.ts';
export type { NotReadyKey } from './readiness/kruise-pod-ready.ts';

export { claimTemplateHash, hasSameClaimTemplates } from './revision/claim-template-hash.ts';
export { declaredJson, eachDeclaredMember, knownMembers, normalizeStruct } from './revision/normalize.ts';
export type { QuantityForm } from './revision/normalize.ts';
export { planHistory } from './revision/plan-history.ts';
export type { HistoryLimit } from './revision/plan-history.ts';
export {
  afterNameCollision,
  isEqualRevision,
  listRevisions,
  newRevision,
  planRevisions,
  revisionBody,
  settledRevision,
} from './revision/plan-revisions.ts';
export type {
  CollisionStep,
  RevisionAction,
  RevisionAttempt,
  RevisionContent,
  RevisionPlan,
  RevisionSource,
  RevisionsSeen,
} from './revision/plan-revisions.ts';
export {
  cloneSetRevisions,
  daemonSetRevisions,
  isOfRevision,
  revisionId,
  revisionLabels,
  revisionOfPod,
  statefulSetRevisions,
} from './revision/revision-adapter.ts';
export type { RevisionAdapter } from './revision/revision-adapter.ts';
export { daemonSetNaming, revisionHash, revisionName, shortHash } from './revision/revision-name.ts';
export type { RevisionNaming } from './revision/revision-name.ts';
export { withDoubles, withInt64 } from './revision/long-integers.ts';
export { applyRevision, knownRevisionBytes, revisionBytes, templateBytes, templateOf } from './revision/template-data.ts';
