/** Everything that a DaemonSet's controller may do to the cluster. Each action may run twice, and the process may die after any of them. */
import type { ControllerRevision, Pod } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';
import type { HistoryAction, PodAction, PreDownloadAction } from '@kruise/workloads';

export type Action =
  | HistoryAction
  | PodAction
  | PreDownloadAction
  /** After a look at the DaemonSet as it is: nothing is adopted for one that is gone or going. */
  | { readonly kind: 'AdoptPod'; readonly pod: Pod; readonly because: string }
  | { readonly kind: 'AdoptRevision'; readonly revision: ControllerRevision; readonly because: string }
  | { readonly kind: 'CreatePod'; readonly pod: Pod; readonly because: string }
  | { readonly kind: 'DeletePod'; readonly pod: Pod; readonly because: string }
  /** Deletes a Pod that has failed, which is told, and the next one of its node waits longer. */
  | { readonly kind: 'DeleteFailedPod'; readonly pod: Pod; readonly node: string; readonly because: string };

/** The node that it is about. */
export const nodeOfAction = (action: Action): string | undefined => ('pod' in action ? nodeOf(action.pod) : undefined);

export type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;

/** Actions for which a node has its turn: it loses it when one of them is refused. */
const attempted: ReadonlySet<Action['kind']> = new Set([
  'AdoptPod',
  'LabelPod',
  'CreatePod',
  'DeletePod',
  'DeleteFailedPod',
  'SetLifecycle',
  'UpdatePodInPlace',
  'ResizePod',
]);

/** The node that comes after the others in the next pass once the action is refused. */
export function subjectsOf(action: Action): readonly string[] {
  const node = attempted.has(action.kind) ? nodeOfAction(action) : undefined;
  return node === undefined ? [] : [node];
}

/** A node whose Pod cannot be created waits, whatever the name of the Pod would be. */
export const objectOf = (action: Action): string | undefined => (action.kind === 'CreatePod' ? nodeOfAction(action) : undefined);
