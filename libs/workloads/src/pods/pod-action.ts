/** What the shared rules may do to a Pod, and to the history. Each action may run twice, and the process may die after any of them. */
import type { ControllerRevision, OwnerReference, Pod, ResourceRequirements } from '@kruise/objects';
import type { LifecyclePatch, LifecycleTransition, RefreshStep, RevisionAction, UpdateSpec } from '@kruise/pods';

/** The steps of a Pod's running in-place update that write something. */
type RefreshWrite = Extract<RefreshStep, { kind: 'DropGrace' | 'ApplyGrace' | 'NextBatch' | 'SetReady' }>;

/** A Pod, and why something is done to it. */
export interface OnPod {
  readonly pod: Pod;
  /** The reason, in words with the numbers. */
  readonly because: string;
}

/** The actions that a Pod needs before any other decision about it. */
export type UpkeepAction =
  /** `alongside`, only with `SetReady`: the next lifecycle state of the Pod, in the same write. */
  | ({ readonly kind: 'RefreshPod'; readonly step: RefreshWrite; readonly alongside?: LifecyclePatch['metadata'] } & OnPod)
  | ({ readonly kind: 'SetLifecycle'; readonly transition: LifecycleTransition } & OnPod)
  | ({ readonly kind: 'LabelPod'; readonly labels: Readonly<Record<string, string>> } & OnPod);

/** The actions that update a Pod to another revision in place. */
export type UpdateAction =
  | UpkeepAction
  | ({ readonly kind: 'UpdatePodInPlace'; readonly spec: UpdateSpec } & OnPod)
  /** Amounts of cpu and memory, by container, of the Pod's own revision: no container is restarted for them. */
  | ({ readonly kind: 'ResizePod'; readonly revision: string; readonly resources: Readonly<Record<string, ResourceRequirements>> } & OnPod);

/** Actions on Pods that are kept. Releasing one whose labels no longer match leaves it these owner references. */
export type PodAction = UpdateAction | ({ readonly kind: 'ReleasePod'; readonly ownerReferences: readonly OwnerReference[] } & OnPod);

/** Takes over a Pod or a revision without a controller. The workload is read first: one that is deleted or being deleted adopts nothing. */
export type AdoptAction =
  | ({ readonly kind: 'AdoptPod' } & OnPod)
  | { readonly kind: 'AdoptRevision'; readonly revision: ControllerRevision; readonly because: string };

/** A write to the history of revisions. */
export type HistoryAction =
  RevisionAction | { readonly kind: 'DeleteRevision'; readonly revision: ControllerRevision; readonly because: string };
