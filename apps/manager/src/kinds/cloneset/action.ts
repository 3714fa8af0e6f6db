/** Everything that a CloneSet's controller may do to the cluster. Each action may run twice, and the process may die after any of them. */
import type { ImagePullJob } from '@kruise/api';
import type { ControllerRevision, OwnerReference, PersistentVolumeClaim, Pod } from '@kruise/objects';
import type { LifecyclePatch, LifecycleTransition, RefreshStep, RevisionAction, UpdateSpec } from '@kruise/pods';

/** The steps of a Pod's running in-place update that write something. */
export type RefreshWrite = Extract<RefreshStep, { kind: 'DropGrace' | 'ApplyGrace' | 'NextBatch' | 'SetReady' }>;

export type Action =
  | RevisionAction
  /** The Pod no longer matches the selector: these owner references are to stay. */
  | { readonly kind: 'ReleasePod'; readonly pod: Pod; readonly ownerReferences: readonly OwnerReference[]; readonly because: string }
  /** The claim goes with this Pod, which goes by itself. */
  | {
      readonly kind: 'HandOverClaim';
      readonly claim: PersistentVolumeClaim;
      readonly ownerReferences: readonly OwnerReference[];
      readonly because: string;
    }
  | { readonly kind: 'DeleteClaim'; readonly claim: PersistentVolumeClaim; readonly because: string }
  /** First the claims that are missing, then the Pod. */
  | { readonly kind: 'CreatePod'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[]; readonly because: string }
  /** First the Pod, then its claims. */
  | { readonly kind: 'DeletePod'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[]; readonly because: string }
  | { readonly kind: 'SetLifecycle'; readonly pod: Pod; readonly transition: LifecycleTransition; readonly because: string }
  /** `alongside`, only with `SetReady`: the lifecycle state that the Pod goes to in the same write. */
  | {
      readonly kind: 'RefreshPod';
      readonly pod: Pod;
      readonly step: RefreshWrite;
      readonly alongside?: LifecyclePatch['metadata'];
      readonly because: string;
    }
  | { readonly kind: 'LabelPod'; readonly pod: Pod; readonly labels: Readonly<Record<string, string>>; readonly because: string }
  | { readonly kind: 'UpdatePodInPlace'; readonly pod: Pod; readonly spec: UpdateSpec; readonly because: string }
  /** Mark the Pod for deletion; the scaling of the next pass deletes and replaces it within its limits. */
  | { readonly kind: 'RecreatePod'; readonly pod: Pod; readonly revision: string; readonly because: string }
  | { readonly kind: 'SetPodsToDelete'; readonly names: readonly string[]; readonly because: string }
  | { readonly kind: 'CreateImagePullJob'; readonly job: ImagePullJob; readonly because: string }
  | { readonly kind: 'DeleteImagePullJob'; readonly job: ImagePullJob; readonly because: string }
  | {
      readonly kind: 'LabelRevision';
      readonly revision: ControllerRevision;
      readonly labels: Readonly<Record<string, string>>;
      readonly because: string;
    }
  | { readonly kind: 'DeleteRevision'; readonly revision: ControllerRevision; readonly because: string };

export type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;
