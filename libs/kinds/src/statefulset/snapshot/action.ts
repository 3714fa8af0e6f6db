/** Everything that a StatefulSet's controller may do to the cluster. Each action may run twice, and the process may die after any of them. */
import type { OwnerReference, PersistentVolumeClaim } from '@kruise/objects';
import { turnsOfPods, type AdoptAction, type HistoryAction, type OnPod, type PodAction, type PreDownloadAction } from '@kruise/workloads';

export type Action =
  | HistoryAction
  | PodAction
  | PreDownloadAction
  | AdoptAction
  /** First the claims that are missing, then the Pod. */
  | ({ readonly kind: 'CreatePod'; readonly claims: readonly PersistentVolumeClaim[] } & OnPod)
  /** Claims of a Pod that is there and cannot start without them. */
  | ({ readonly kind: 'CreateClaims'; readonly claims: readonly PersistentVolumeClaim[] } & OnPod)
  | ({
      readonly kind: 'SetClaimOwners';
      readonly claim: PersistentVolumeClaim;
      readonly ownerReferences: readonly OwnerReference[];
    } & OnPod)
  /** Puts the labels of its identity back. */
  | ({ readonly kind: 'RepairPod'; readonly labels: Readonly<Record<string, string>> } & OnPod)
  | ({ readonly kind: 'DeletePod' } & OnPod)
  /** `spec.resources` of its template. */
  | {
      readonly kind: 'ResizeClaim';
      readonly claim: PersistentVolumeClaim;
      readonly resources: NonNullable<PersistentVolumeClaim['spec']>['resources'];
      readonly because: string;
    };

export type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;

/** Actions for which a Pod has its turn: it comes after the others in the next pass when one of them is refused. */
const attempted: ReadonlySet<Action['kind']> = new Set([...turnsOfPods, 'CreateClaims']);

/** By name, as a Pod that cannot be created has nothing else. */
export const podNameOf = (action: Action): string | undefined => ('pod' in action ? action.pod.metadata.name : undefined);

/** The Pod that comes after the others in the next pass once the action is refused. */
export const subjectsOf = (action: Action): readonly string[] =>
  attempted.has(action.kind) && 'pod' in action ? [action.pod.metadata.name] : [];
