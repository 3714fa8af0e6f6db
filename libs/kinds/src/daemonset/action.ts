/** Everything that a DaemonSet's controller may do to the cluster. Each action may run twice, and the process may die after any of them. */
import type { ControllerRevision, Pod } from '@kruise/objects';
import { type HistoryAction, type PodAction, type PreDownloadAction, nodesOfAction } from '@kruise/workloads';

export type Action =
  | HistoryAction
  | PodAction
  | PreDownloadAction
  /** Reads the DaemonSet first: one that is deleted or being deleted adopts nothing. */
  | { readonly kind: 'AdoptPod'; readonly pod: Pod; readonly because: string }
  | { readonly kind: 'AdoptRevision'; readonly revision: ControllerRevision; readonly because: string }
  | { readonly kind: 'CreatePod'; readonly pod: Pod; readonly because: string }
  | { readonly kind: 'DeletePod'; readonly pod: Pod; readonly because: string }
  /** Deletes a failed Pod and reports it in an event; the next failed Pod of its node waits longer. */
  | { readonly kind: 'DeleteFailedPod'; readonly pod: Pod; readonly node: string; readonly because: string };

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
export const subjectsOf = (action: Action): readonly string[] => (attempted.has(action.kind) ? nodesOfAction(action) : []);
