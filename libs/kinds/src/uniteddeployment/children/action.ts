/** Everything that a UnitedDeployment's controller may do to the cluster. Each action may run twice, and the process may die after any of them. */
import { unitedDeploymentLabels } from '@kruise/api';
import type { HistoryAction } from '@kruise/workloads';
import type { ControllerRevision, OwnerReference, Pod } from '@kruise/objects';
import type { ChildKind, ChildObject } from '../snapshot/child-kinds.ts';
import { subsetOf } from './children.ts';
import type { ChildWish } from './render.ts';

interface OfChild {
  readonly type: ChildKind;
  readonly child: ChildObject;
}

export type Action =
  | HistoryAction
  | ({ readonly because: string } & (
      | { readonly kind: 'AdoptRevision'; readonly revision: ControllerRevision }
      | ({ readonly kind: 'AdoptChild' } & OfChild)
      | ({ readonly kind: 'ReleaseChild'; readonly owners: readonly OwnerReference[] } & OfChild)
      /** Made when it is created: a plan holds no child that is not there. */
      | { readonly kind: 'CreateChild'; readonly type: ChildKind; readonly name: string; readonly wish: ChildWish }
      | ({ readonly kind: 'DeleteDuplicate' } & OfChild)
      | ({ readonly kind: 'DeleteChild' } & OfChild)
      /** One of a kind that the template is no longer. */
      | ({ readonly kind: 'DeleteStray' } & OfChild)
      /** The child as it is at that moment is made to what is wanted. */
      | ({ readonly kind: 'UpdateChild'; readonly wish: ChildWish } & OfChild)
      | { readonly kind: 'ReservePod'; readonly pod: Pod; readonly isReserved: boolean }
      | { readonly kind: 'DeleteStuckPod'; readonly pod: Pod }
    ));

/** The subset that an action on a child or a Pod is of. */
export function subsetOfAction(action: Action): string {
  if ('wish' in action) return action.wish.subset.name;
  if ('child' in action) return subsetOf(action.child);
  return 'pod' in action ? (action.pod.metadata.labels?.[unitedDeploymentLabels.subsetName] ?? '') : '';
}

export type ActionOf<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>;
