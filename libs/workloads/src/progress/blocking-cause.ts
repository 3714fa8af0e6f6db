/** What may hold a workload up: reasons of its condition `Blocked`. @see docs/decisions/blocked-condition.md */
export type BlockingReason =
  /** The spec went past admission but cannot be worked with. */
  | 'InvalidSpec'
  /** A ResourceQuota lets no more be created. */
  | 'QuotaExceeded'
  /** A PodUnavailableBudget lets no further Pod go out of service. */
  | 'BudgetRefuses'
  /** An admission webhook or policy says no. */
  | 'AdmissionRefuses'
  /** An admission webhook gives no answer. */
  | 'WebhookFails'
  /** Creating or deleting Pods or claims fails for another reason. */
  | 'ScalingFails'
  /** Updating Pods or revisions fails, or the update policy does not allow what the template asks for. */
  | 'UpdatingFails'
  | 'ImageCannotBePulled'
  | 'ContainerCannotStart'
  | 'ContainerCrashes'
  | 'Unschedulable'
  | 'NodeLost'
  /** The node cannot give the containers the cpu and memory of the new template. */
  | 'ResizePending'
  | 'WaitingForHook'
  /** Terminating Pods hold the names that are to be used again. */
  | 'WaitingForNames'
  /** `scaleStrategy.maxUnavailable` lets no Pod be created. */
  | 'ScaleLimited'
  /** A Pod has ended although it should run for ever: refused by the kubelet, or evicted. */
  | 'PodFails'
  /** A time that a Pod waits from is in the future. */
  | 'ClockSkew'
  /** A Pod runs but is not ready, or not through with its update, for longer than a minute. */
  | 'NotReady'
  | 'Paused'
  | 'OnDelete'
  | 'PartitionReached'
  /** `maxUnavailable` and `maxSurge` are 0, so that no available Pod may go. */
  | 'UpdateLimited';

/** One cause: `reason` goes into the condition, `message` is for people. */
export interface BlockingCause {
  readonly reason: BlockingReason;
  readonly message: string;
}
