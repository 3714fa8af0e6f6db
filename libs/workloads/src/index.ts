export { availabilityWait } from './availability-wait.ts';
export { claimPods } from './claim-pods.ts';
export { claimVolumes, mountsOf, newClaim, withClaimVolumes } from './claims.ts';
export { expiryOf } from './expiry.ts';
export type { HistoryAction, PodAction, UpdateAction, UpkeepAction } from './pod-action.ts';
export { mayMatter } from './pod-changes.ts';
export { planPodDeletion } from './pod-deletion.ts';
export { planPodUpdates, podUpdater, withinBudget, withoutSuperseded } from './pod-updates.ts';
export type { PodUpdate, PodUpdates } from './pod-updates.ts';
export { activePods, isAvailable, isPreparingDelete, isReadyNow, podViewOf } from './pod-view.ts';
export { planPreDownload, planPullAhead } from './pre-download.ts';
export type { PreDownloadAction, PreDownloadSettings } from './pre-download.ts';
export { causeOfPass, firstCauseOf, heldCauseOf, patienceEnds, withBlocking, withConditions } from './progress/blocked-condition.ts';
export { refusalReason } from './progress/refusal-reason.ts';
export type { PassFailure, PassFailures, PodCause } from './progress/blocked-condition.ts';
export type { BlockingCause, BlockingReason } from './progress/blocking-cause.ts';
export { containerFaults, nodeLost, unschedulable, waitingForHook } from './progress/pod-causes.ts';
export { podDelays, podFaults, updatedOnDelete, updatePaused } from './progress/shared-causes.ts';
export { noneRefused, refusedLast } from './refused-last.ts';
export type { RefusedBefore } from './refused-last.ts';
export { planHistoryCleanup, planWorkloadRevisions } from './revisions.ts';
export type { WorkloadRevisions } from './revisions.ts';
export { planResizeUndo } from './unfinished-resize.ts';
export type { ResizeUndo } from './unfinished-resize.ts';
export { planUpkeep } from './upkeep.ts';
export type { Upkeep } from './upkeep.ts';
export { examineBy } from './examined.ts';
export type { Examined } from './examined.ts';
export { isOf } from './workload.ts';
export type { PodUpdatePolicy, Workload } from './workload.ts';
export type { WorkloadPlan } from './workload-plan.ts';
export { AwaitedRevisions } from './awaited-revisions.ts';
export { byController, byOwner } from './by-owner.ts';
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
export { nodeOfAction, nodeOfCreation, nodesOfAction } from './node-turns.ts';
export { isOfOurKinds } from './owned-by-our-kinds.ts';
export { podsByNode } from './pods-by-node.ts';
export { preDownloadSettings } from './pre-download-settings.ts';
export { StatusMemory } from './status-memory.ts';
export type { PacedStatus } from './status-pace.ts';
export { byTarget, chosenFor, targetOf, targetOfOwner, targetText } from './target.ts';
export type { Target } from './target.ts';
export { ReportedRefusals } from './reported-refusals.ts';
export { guardedByAll } from './update-guard.ts';
export type { UpdateAnswer, UpdateGuard } from './update-guard.ts';
export { orderRule } from './update-order.ts';
export { isWellFormedPod } from './well-formed-pod.ts';
export { builtInDaemonSets, builtInStatefulSets, deployments, replicaSets, replicationControllers } from './workload-types.ts';
export type { BuiltInWorkload, HeldTemplate, WorkloadStrategy } from './workload-types.ts';
