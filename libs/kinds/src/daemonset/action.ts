/** Everything that a DaemonSet's controller may do to the cluster. Each action may run twice, and the process may die after any of them. */
import {
  nodesOfAction,
  turnsOfPods,
  type AdoptAction,
  type HistoryAction,
  type OnPod,
  type PodAction,
  type PreDownloadAction,
} from '@kruise/workloads';

export type Action =
  | HistoryAction
  | PodAction
  | PreDownloadAction
  | AdoptAction
  | ({ readonly kind: 'CreatePod' } & OnPod)
  | ({ readonly kind: 'DeletePod' } & OnPod)
  /** Deletes a failed Pod and reports it in an event; the next failed Pod of its node waits longer. */
  | ({ readonly kind: 'DeleteFailedPod'; readonly node: string } & OnPod);

export type ActionOf<K extends Action['kind']> = Extract<Action, { kind: K }>;

/** Actions for which a node has its turn: it loses it when one of them is refused. */
const attempted: ReadonlySet<Action['kind']> = new Set([...turnsOfPods, 'LabelPod', 'DeleteFailedPod']);

/** The node that comes after the others in the next pass once the action is refused. */
export const subjectsOf = (action: Action): readonly string[] => (attempted.has(action.kind) ? nodesOfAction(action) : []);
