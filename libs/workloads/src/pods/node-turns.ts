/** In kinds that run a Pod on each node, a node comes after the others once the API server has refused an action for it. */
import type { Pod, PlannedAction } from '@kruise/objects';
import { nodeOf } from '@kruise/pods';

interface ActionForNode extends PlannedAction {
  readonly pod?: Pod;
}

/** The node that the Pod of an action is on, or waits for. */
export const nodeOfAction = ({ pod }: ActionForNode): string | undefined => (pod === undefined ? undefined : nodeOf(pod));

/** The node of an action as the subject that loses its turn; none for an action on no Pod of a node. */
export function nodesOfAction(action: ActionForNode): readonly string[] {
  const node = nodeOfAction(action);
  return node === undefined ? [] : [node];
}

/** A node whose Pod cannot be created waits, whatever the name of the Pod would be. */
export const nodeOfCreation = (action: ActionForNode): string | undefined =>
  action.kind === 'CreatePod' ? nodeOfAction(action) : undefined;
