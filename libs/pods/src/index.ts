export { decideClaim } from './claim.ts';
export type { Claimant } from './claim.ts';

export { resourceWritingFor } from './inplace/apply-update.ts';
export type { AppliedUpdate, ResourceWriting } from './inplace/apply-update.ts';
export { containersCompletion, runsSpecImage, updateCompletion } from './inplace/state/completion.ts';
export { launchPriority } from './inplace/container-batch.ts';
export { metadataEnvs } from './inplace/metadata/env-from-metadata.ts';
export { imageIdsOf } from './inplace/state/image-ids.ts';
export { isSameImageRef } from './inplace/state/image-ref.ts';
export { diffJson, formatJsonPath } from './inplace/json-diff.ts';
export type { JsonChange } from './inplace/json-diff.ts';
export { planInPlaceUpdate } from './inplace/plan-in-place-update.ts';
export type { InPlaceDecision, InPlaceGates, InPlaceOptions } from './inplace/plan-in-place-update.ts';
export { isAtRest, planRefresh } from './inplace/plan-refresh.ts';
export type { RefreshStep } from './inplace/plan-refresh.ts';
export { afterResize, resizePatch } from './inplace/resize.ts';
export type { ResizePatch } from './inplace/resize.ts';
export {
  formatRuntimeMeta,
  legacyPlainHash,
  metadataEnvHash,
  metadataEnvHashOf,
  plainHash,
  runtimeMetaOf,
} from './inplace/state/runtime-meta.ts';
export type { RuntimeContainerMeta } from './inplace/state/runtime-meta.ts';
export { mustLeaveService, restartsForResize, startUpdate, takeOutOfService } from './inplace/start-update.ts';
export { formatUpdateSpec, parseObject, structJson } from './inplace/spec/update-spec.ts';
export type { Parsed, UpdateSpec } from './inplace/spec/update-spec.ts';
export {
  formatUpdateState,
  graceSpecOf,
  hasNextBatch,
  hasUnreadableUpdate,
  updateStateFrom,
  updateStateOf,
} from './inplace/state/update-state.ts';
export type { InPlaceUpdateState } from './inplace/state/update-state.ts';

export { isAllHooked, isHooked, lifecycleStateOf } from './lifecycle-state.ts';
export type { LifecycleState } from './lifecycle-state.ts';
export {
  canUndelete,
  lifecycleMetadata,
  planLifecycleForDelete,
  planLifecycleForUpdate,
  planLifecycleRefresh,
  planLifecycleUndelete,
  staleLifecycleKeys,
} from './lifecycle/plan-lifecycle.ts';
export type { LifecyclePatch, LifecycleTransition } from './lifecycle/plan-lifecycle.ts';

export { daemonTolerations } from './placement/daemon-tolerations.ts';
export { boundByScheduler, nodeOf } from './placement/node-binding.ts';
export { daemonFit, isFitFor, jobFit } from './placement/node-fit.ts';
export type { DaemonFit } from './placement/node-fit.ts';
export { nodeSelection } from './placement/node-selection.ts';
export { pendingTimeout } from './placement/pending-timeout.ts';
export { isEmptyTerm, joinFault, narrowedTerms, requiredTermsOf, requireNodeTerm } from './placement/require-node-term.ts';
export type { NodeTerm } from './placement/require-node-term.ts';
export { toleranceOf, type Tolerance } from './placement/tolerations.ts';

export { partitionInPods } from './ranking/partition.ts';
export { rankByPriority, rankForUpdate } from './ranking/rank-for-update.ts';
export type { UpdateRanking } from './ranking/rank-for-update.ts';
export { nodeSpreadRanks, rankForDeletion, rankSurplus, topologySpreadRanks } from './ranking/rank-for-deletion.ts';
export { validateOrderSizes, validatePriorityStrategy, validateScatterStrategy } from './ranking/update-strategy.ts';
export { isPodUpdateReady } from './readiness/availability.ts';
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

export { claimTemplateHash } from './revision/claim-template-hash.ts';
export { declaredJson, eachDeclaredMember, knownMembers, normalizeStruct } from './revision/normalize.ts';
export type { QuantityForm } from './revision/normalize.ts';
export { planHistory } from './revision/plan-history.ts';
export {
  afterNameCollision,
  isEqualRevision,
  listRevisions,
  newRevision,
  planRevisions,
  revisionBody,
  settledRevision,
} from './revision/plan-revisions.ts';
export type { RevisionAction, RevisionAttempt, RevisionPlan, RevisionsSeen } from './revision/plan-revisions.ts';
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
export { withDoubles, withInt64 } from './revision/long-integers.ts';
export { revisionBytes, templateOf } from './revision/template-data.ts';
