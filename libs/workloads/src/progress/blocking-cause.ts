/** The causes that may block a workload: reasons of its condition `Blocked`. @see docs/decisions/blocked-condition.md */
export type BlockingReason =
  /** The spec passed admission but cannot be used. */
  | 'InvalidSpec'
  /** A ConfigMap or Secret that the annotation `config-rollout` names does not exist or cannot be read, or the annotation cannot be used. */
  | 'ConfigUnavailable'
  /** A ResourceQuota allows no more objects. */
  | 'QuotaExceeded'
  /** A PodUnavailableBudget allows no further Pod to become unavailable. */
  | 'BudgetRefuses'
  /** An admission webhook or policy refuses. */
  | 'AdmissionRefuses'
  /** An admission webhook does not answer. */
  | 'WebhookFails'
  /** Creating or deleting Pods or claims fails for another reason. */
  | 'ScalingFails'
  /** Updating Pods or revisions fails, or the update policy does not allow the change of the template. */
  | 'UpdatingFails'
  | 'ImageCannotBePulled'
  | 'ContainerCannotStart'
  | 'ContainerCrashes'
  | 'Unschedulable'
  | 'NodeLost'
  /** The node cannot grant the containers the cpu and memory of the new template. */
  | 'ResizePending'
  | 'WaitingForHook'
  /** Terminating Pods have the names that are needed again. */
  | 'WaitingForNames'
  /** `scaleStrategy.maxUnavailable` allows no Pod to be created. */
  | 'ScaleLimited'
  /** A Pod has ended although it should run indefinitely: refused by the kubelet, or evicted. */
  | 'PodFails'
  /** A time that a Pod waits from is in the future. */
  | 'ClockSkew'
  /** A Pod runs but is not ready, or has not completed its update, for longer than a minute. */
  | 'NotReady'
  | 'Paused'
  | 'OnDelete'
  | 'PartitionReached'
  /** `maxUnavailable` and `maxSurge` are 0, so that no available Pod may be deleted or updated. */
  | 'UpdateLimited';

/** One cause: `reason` is for the condition, `message` is for users. */
export interface BlockingCause {
  readonly reason: BlockingReason;
  readonly message: string;
}
