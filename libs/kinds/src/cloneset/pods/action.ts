/** Everything that a CloneSet's controller may do to the cluster. Each action may run twice, and the process may die after any of them. */
import type { OwnerReference, PersistentVolumeClaim, Pod } from '@kruise/objects';
import type { HistoryAction, PodAction, PreDownloadAction } from '@kruise/workloads';
import { instanceIdOf } from './pod-facts.ts';

/** Mark the Pod for deletion; the scaling of the next pass deletes and replaces it within its limits. */
export interface RecreatePod {
  readonly kind: 'RecreatePod';
  readonly pod: Pod;
  readonly revision: string;
  readonly because: string;
}

export type Action =
  | HistoryAction
  | PodAction
  | PreDownloadAction
  | RecreatePod
  /** Take back what `RecreatePod` wrote. */
  | { readonly kind: 'UnmarkPod'; readonly pod: Pod; readonly because: string }
  /** Makes this Pod an owner of the claim, so that the claim is deleted with the Pod. */
  | {
      readonly kind: 'HandOverClaim';
      readonly claim: PersistentVolumeClaim;
      readonly ownerReferences: readonly OwnerReference[];
      readonly because: string;
    }
  /** Does nothing while the API server has the Pod that would use the claim: the cache may not have received its creation yet. */
  | {
      readonly kind: 'DeleteClaim';
      readonly claim: PersistentVolumeClaim;
      readonly podName: string | undefined;
      readonly because: string;
    }
  /** First the claims that are missing, then the Pod. */
  | { readonly kind: 'CreatePod'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[]; readonly because: string }
  /** First the Pod, then its claims. */
  | { readonly kind: 'DeletePod'; readonly pod: Pod; readonly claims: readonly PersistentVolumeClaim[]; readonly because: string }
  /** Nothing when the list is no longer the one that this was decided on. */
  | { readonly kind: 'SetPodsToDelete'; readonly listed: readonly string[]; readonly names: readonly string[]; readonly because: string };

export type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;

/** Under which refusals of any creation are remembered: a quota refuses all of them. */
export const anyCreation = 'creation';

/** What a refusal of the action is remembered by: the Pod's uid, or the instance id of one that is yet to be made. */
export function subjectOf(action: Action): string | undefined {
  if (!('pod' in action)) return undefined;
  return action.kind === 'CreatePod' ? instanceIdOf(action.pod) : action.pod.metadata.uid;
}

/** All that a refusal of the action is remembered by. */
export function subjectsOf(action: Action): readonly string[] {
  const subject = subjectOf(action);
  const own = subject === undefined ? [] : [subject];
  return action.kind === 'CreatePod' ? [...own, anyCreation] : own;
}
