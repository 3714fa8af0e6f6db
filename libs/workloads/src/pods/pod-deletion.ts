/** Deletes a Pod that its workload no longer needs. @see spec/inplace-update.md 8 */
import type { Pod } from '@kruise/objects';
import { planLifecycleForDelete } from '@kruise/pods';
import type { UpkeepAction } from './pod-action.ts';
import type { Workload } from '../workload.ts';

type SetLifecycle = Extract<UpkeepAction, { readonly kind: 'SetLifecycle' }>;

/**
 * Deletes the Pod, or notifies its preDelete hook.
 *
 * @param remove returns how the kind deletes a Pod that no hook holds
 * @returns nothing when the hook is notified already
 */
export function planPodDeletion<A>(
  pod: Pod,
  because: string,
  { lifecycle, now }: Pick<Workload, 'lifecycle' | 'now'>,
  remove: (pod: Pod, because: string) => A,
): readonly (A | SetLifecycle)[] {
  const admission = planLifecycleForDelete(pod, lifecycle, now);
  if (admission.kind === 'Delete') return [remove(pod, because)];
  const { transition } = admission;
  const isKnown = transition.patch === undefined && transition.readiness === undefined;
  return isKnown ? [] : [{ kind: 'SetLifecycle', pod, transition, because: `${because}, but ${transition.because}` }];
}
