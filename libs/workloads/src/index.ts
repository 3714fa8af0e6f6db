export { availabilityWait } from './updates/availability-wait.ts';
export { claimPods, ownsAll } from './claims/claim-pods.ts';
export { claimVolumes, claimsMountedBy, mountsOf, newClaim, withClaimVolumes } from './claims/claims.ts';
export { expiryOf } from './blocking/expiry.ts';
export type { AdoptAction, HistoryAction, OnPod, PodAction, UpdateAction, UpkeepAction } from './pods/pod-action.ts';
export { mayMatter } from './pod-changes.ts';
export { createdPod, patchedPod, podAfter, terminatingPod } from './pods/pod-after.ts';
export type { PodWriting } from './pods/pod-after.ts';
export { planPodDeletion } from './pods/pod-deletion.ts';
export { planPodUpdates, podUpdater, withinBudget, withoutSuperseded, type Candidates } from './updates/pod-updates.ts';
export type { PodUpdate, PodUpdates } from './updates/pod-updates.ts';
export { activePods, isAvailable, isPreparingDelete, isReadyNow, isViewAvailable, podViewOf, podViewsOf } from './pods/pod-view.ts';
export type { PodView } from './pods/pod-view.ts';
export { planPreDownload, planPullAhead } from './pre-download/pre-download.ts';
export type { PreDownloadAction, PreDownloadInput, PreDownloadSettings } from './pre-download/pre-download.ts';
export { causeOfPass, firstCauseOf, heldCauseOf, patienceEnds, withBlocking, withConditions } from './progress/blocked-condition.ts';
export { withKstatus, withoutKstatus, type KstatusCounts } from './progress/kstatus-conditions.ts';
export { refusalReason } from './progress/refusal-reason.ts';
export type { PassFailure, PassFailures, PodCause } from './progress/blocked-condition.ts';
export type { BlockingCause, BlockingReason } from './progress/blocking-cause.ts';
export { containerFaults, nodeLost, unschedulable, waitingForHook } from './progress/pod-causes.ts';
export { podDelays, podFaults, updatedOnDelete, updatePaused } from './progress/shared-causes.ts';
export { noneRefused, refusedLast, turnsOfPods } from './blocking/refused-last.ts';
export type { RefusedBefore } from './blocking/refused-last.ts';
export { planHistoryCleanup, planWorkloadRevisions, templateRevision } from './revisions/revisions.ts';
export type { WorkloadRevisions } from './revisions/revisions.ts';
export { planResizeUndo } from './updates/unfinished-resize.ts';
export type { ResizeUndo } from './updates/unfinished-resize.ts';
export { planUpkeep } from './updates/upkeep.ts';
export type { Upkeep } from './updates/upkeep.ts';
export { examineBy } from './examined.ts';
export type { Examined } from './examined.ts';
export { isOf } from './workload.ts';
export type { PodUpdatePolicy, Workload } from './workload.ts';
export type { WorkloadPlan } from './workload-plan.ts';
export { AwaitedRevisions } from './revisions/awaited-revisions.ts';
export { freeNames } from './pods/free-names.ts';
export { byController, byOwner } from './pods/by-owner.ts';
export {
  bareObject,
  daemonSetOf,
  groupKindOf,
  isSameKind,
  jobOf,
  replicationControllerOf,
  scaledObject,
  statefulSetOf,
  whiteListedObject,
  workloadOf,
} from './finder/found-workload.ts';
export type { FoundWorkload, GroupKind, WorkloadReference } from './finder/found-workload.ts';
export { listedKind, readWhiteList } from './finder/white-list.ts';
export type { WhiteListReading, WhiteListedKind } from './finder/white-list.ts';
export { nodeOfAction, nodeOfCreation, nodesOfAction } from './pods/node-turns.ts';
export { isOfOurKinds } from './claims/owned-by-our-kinds.ts';
export { podsByNode } from './pods/pods-by-node.ts';
export { preDownloadSettings } from './pre-download/pre-download-settings.ts';
export { StatusMemory } from './status/status-memory.ts';
export type { PacedStatus } from './status/status-pace.ts';
export { byTarget, chosenFor, targetOf, targetOfOwner, targetText } from './pods/target.ts';
export type { Target } from './pods/target.ts';
export { causeOfRefusal, guardedByAll } from './updates/update-guard.ts';
export type { UpdateAnswer, UpdateGuard } from './updates/update-guard.ts';
export { orderRule } from './updates/update-order.ts';
export { isWellFormedPod } from './pods/well-formed-pod.ts';
export { builtInDaemonSets, builtInStatefulSets, deployments, replicaSets, replicationControllers } from './workload-types.ts';
export type { BuiltInWorkload, HeldTemplate, WorkloadStrategy } from './workload-types.ts';
export { configNamesOf } from './config-rollout/config-names.ts';
export type { ConfigReference } from './config-rollout/config-names.ts';
export { ConfigHashes } from './config-rollout/config-hashes.ts';
export { changesOtherwise, heldHash, heldTemplate, planningWith, withConfigHash, withHeldConfig } from './config-rollout/template-hash.ts';
export type { ConfigurableKind, ConfigurableWorkload } from './config-rollout/template-hash.ts';
export { configContent, configPatience, configUnavailable } from './config-rollout/config-content.ts';
export type { ConfigContent, ConfigState } from './config-rollout/config-content.ts';
